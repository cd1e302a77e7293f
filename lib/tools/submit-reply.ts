import { z } from 'zod';
import type { TerminalTool } from '../agent/tool.js';
import type { EvidenceSource, Served } from '../core/evidence.js';
import type { Finding } from '../core/finding.js';
import type { CitedPlace } from '../core/condition.js';
import { MAX_CONDITIONS, type ReadAs } from '../core/reading.js';
import { fromJson, ProposedQuote } from '../core/submission.js';
import {
  checkPlaces,
  checkProse,
  checkQuotes,
  isOn,
  issuesOf,
  recordOf,
  trimmed,
} from './submission-checks.js';

const description = `Ends the task: what is answered to somebody who replied to a finding. Code checks it, and sends back what does not hold with the reason; mend it and submit again.

kind:
- concede: the finding is wrong, and the quoted code shows it. Code then withdraws it. Never because somebody insists.
- stand: it goes wrong all the same, and the quoted code, which the finding did not cite, shows why what they say does not prevent it.
- explain: they ask something, or object without anything that the code could show or refute. The finding stays as it is.
- nothing: they ask and object nothing: thanks, a promise to fix it, words for somebody else.`;

const Reply = z.object({
  kind: z.enum(['concede', 'stand', 'explain', 'nothing']),
  text: z
    .string()
    .default('')
    .describe(
      'what the person reads, in at most 80 words: the code and what it does, no agreeing, no thanks',
    ),
  evidence: z.preprocess(fromJson, z.array(ProposedQuote)).default([]),
});

export type ReplyRead = Extract<ReadAs, { kind: 'stands' | 'withdrawn' | 'explained' | 'noted' }>;

/** The one way to end a look at what somebody replied to a finding. Only cited code takes a finding back. */
export function submitReply({
  finding,
  accused,
  source,
  opened,
}: {
  readonly finding: Finding;
  /** Where the accused lines stand today. */
  readonly accused: readonly CitedPlace[];
  readonly source: EvidenceSource;
  /** Lines that the opening message showed. */
  readonly opened: readonly Served[];
}): TerminalTool<ReplyRead> {
  return {
    name: 'submit_reply',
    description,
    schema: Reply,
    async accept(input, seen) {
      const parsed = Reply.safeParse(recordOf(input));
      if (!parsed.success) return { kind: 'sent_back', reasons: [issuesOf(parsed.error)] };
      const { kind } = parsed.data;
      const served = [...opened, ...seen.served];
      const accept = (value: ReplyRead) => ({ kind: 'accepted' as const, value, dropped: [] });
      if (kind === 'nothing') return accept({ kind: 'noted' });

      const text = trimmed(parsed.data.text);
      const { places, reasons: missing } = await checkQuotes(parsed.data.evidence, source, served);
      const reasons = [...missing, ...checkProse('text', text)];
      if (kind === 'explain')
        return reasons.length > 0 ? { kind: 'sent_back', reasons } : accept({ kind: 'explained', text });

      const other = places.filter((place) => !isOn(place, accused));
      if (other.length === 0)
        reasons.push(
          `evidence: ${kind} needs a quote of other code than the accused line; without one, explain`,
        );
      if (kind === 'stand') {
        if (other.length > 0 && other.every((place) => isCited(place, finding)))
          reasons.push('evidence: the finding cites these lines already. Quote what it does not, or explain');
        return reasons.length > 0
          ? { kind: 'sent_back', reasons }
          : accept({ kind: 'stands', because: text, evidence: places });
      }
      const holds = await checkPlaces(
        other.filter(({ ref }) => ref === 'head').slice(0, MAX_CONDITIONS),
        source,
        served,
      );
      reasons.push(...holds.reasons);
      return reasons.length > 0
        ? { kind: 'sent_back', reasons }
        : accept({ kind: 'withdrawn', because: text, evidence: places, conditions: holds.conditions });
    },
  };
}

const isCited = (place: CitedPlace, { evidence }: Finding): boolean =>
  isOn(
    place,
    evidence.filter((one) => one.kind === 'quote'),
  );
