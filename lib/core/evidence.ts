import { z } from 'zod';

/** `head` is the reviewed commit, `base` the merge base. */
export const Ref = z.enum(['head', 'base']);
export type Ref = z.infer<typeof Ref>;

/** Lines of a file that a tool has shown in this run; recorded by code, 1-based and inclusive. */
export type Served = {
  readonly path: string;
  readonly ref: Ref;
  readonly start: number;
  readonly end: number;
};

/** A quotation: this text stands at these lines of this version. */
export const Quote = z.object({
  kind: z.literal('quote'),
  role: z.enum(['at', 'because']),
  path: z.string().min(1),
  ref: Ref,
  start: z.number().int().positive(),
  end: z.number().int().positive(),
  quote: z.string().min(1),
});
export type Quote = z.infer<typeof Quote>;

/**
 * An absence: this search finds nothing in this scope. It holds only when the pattern does match somewhere
 * outside the scope or in the other version, because a search that can match nothing proves nothing.
 */
export const Absence = z.object({
  kind: z.literal('absence'),
  role: z.literal('because'),
  pattern: z.string().min(1),
  glob: z.string().min(1),
  ref: Ref,
});
export type Absence = z.infer<typeof Absence>;

export const Evidence = z.discriminatedUnion('kind', [Quote, Absence]);
export type Evidence = z.infer<typeof Evidence>;

/** What the code's own look found. Quotes are "found", never "verified": the text stands there, no more. */
export type EvidenceCheck = { readonly kind: 'held' } | { readonly kind: 'failed'; readonly reason: string };

/** Where code re-reads what a claim cites: the same view the tools show (secrets labelled), at both refs. */
export type EvidenceSource = {
  /** Null when there are no readable lines at that path. */
  lines(ref: Ref, path: string): Promise<readonly string[] | null>;
  /** Over the whole tree of the ref; `notSearched` counts files of the scope that could not be searched. */
  count(query: {
    readonly pattern: string;
    readonly ref: Ref;
    readonly glob?: string;
  }): Promise<
    | {
        readonly kind: 'counted';
        readonly total: number;
        readonly files: number;
        readonly notSearched: number;
      }
    | { readonly kind: 'bad'; readonly why: string }
  >;
};
