import { z } from 'zod';
import { Sha } from '../../core/pull-request.js';
import type { Ignored, Trigger } from '../../core/trigger.js';
import { accept } from './accept.js';

/**
 * What a run needs of a `pull_request` payload. Only hints: the snapshot reads the live state. Old payloads lack
 * `installation`; a GitHub App's own always have it.
 */
const Payload = z.object({
  action: z.enum(['opened', 'synchronize', 'reopened', 'ready_for_review', 'edited', 'closed']),
  number: z.number().int().positive(),
  before: Sha.nullish().catch(undefined),
  pull_request: z.object({
    draft: z.boolean().default(false),
    head: z.object({ sha: Sha }),
    base: z.object({ ref: z.string().min(1).max(255) }).optional(),
    updated_at: z.string().max(40).nullish(),
  }),
  repository: z.object({
    // The names go into addresses of requests, so their alphabet is checked.
    name: z.string().regex(/^[A-Za-z0-9_.-]{1,100}$/),
    owner: z.object({ login: z.string().regex(/^[A-Za-z0-9_-]{1,100}$/) }),
  }),
  installation: z.object({ id: z.number().int().positive() }),
  sender: z.object({ login: z.string() }).nullish(),
});

const reasons = {
  opened: 'opened',
  synchronize: 'pushed',
  reopened: 'reopened',
  ready_for_review: 'ready_for_review',
  edited: 'base_changed',
  closed: 'closed',
} as const satisfies Record<z.infer<typeof Payload>['action'], Trigger['reason']>;

/** A delivery as a trigger, or the reason why it starts nothing. Never throws, whatever the payload holds. */
export function toTrigger(name: string, payload: unknown, ownLogin?: string): Trigger | Ignored {
  const acceptance = accept(name, payload, ownLogin);
  if (acceptance.kind === 'ignored') return acceptance;
  const parsed = Payload.safeParse(payload);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    const where = issue?.path.join('.') ?? '';
    if (where.startsWith('installation')) {
      return {
        kind: 'ignored',
        reason:
          'the payload names no installation: it comes from a repository webhook, not from the GitHub App',
      };
    }
    return { kind: 'ignored', reason: `the payload is malformed at ${where || 'its root'}` };
  }
  const { action, number, pull_request: pull, repository, installation, sender } = parsed.data;
  const at = Date.parse(pull.updated_at ?? '');
  return {
    kind: 'pull_request',
    reason: reasons[action],
    owner: repository.owner.login,
    repo: repository.name,
    number,
    head: pull.head.sha,
    ...(pull.base === undefined ? {} : { base: pull.base.ref }),
    draft: pull.draft,
    installation: installation.id,
    sender: sender?.login ?? 'ghost',
    ...(Number.isFinite(at) && { at }),
    ...(parsed.data.before != null && { before: parsed.data.before }),
  };
}
