import type { Log } from '../ports/log.js';
import type { LoopEvent } from './loop-event.js';

/** The event stream of a run as log lines: what happened and how much of it, never the texts. */
export function logEvent(log: Log, about: object, event: LoopEvent): void {
  switch (event.kind) {
    case 'turn_received': {
      const { turn, ms, usage, stop } = event;
      log.info({ ...about, turn, ms, stop: stop.kind, usage }, 'the model answered');
      return;
    }
    case 'tool_finished': {
      const { turn, name, ms, chars, failed, defect } = event;
      if (defect === undefined) log.info({ ...about, turn, name, ms, chars, failed }, 'a tool answered');
      else log.error({ ...about, turn, name, defect }, 'a tool failed in a way that wants mending');
      return;
    }
    case 'submission_sent_back': {
      const { turn, tryNumber, tries, reasons } = event;
      log.info({ ...about, turn, tryNumber, tries, reasons: reasons.length }, 'the submission was sent back');
      return;
    }
    case 'follow_up_asked':
      log.info({ ...about, turn: event.turn }, 'the submission was accepted, one thing more was asked');
      return;
    case 'follow_up_unanswered':
      log.warn(
        {
          ...about,
          outcome: event.outcome.kind,
          ...(event.outcome.kind === 'failed' && { detail: event.outcome.detail }),
        },
        'no answer to what was asked after the submission',
      );
      return;
    case 'closing':
      log.info(
        { ...about, turn: event.turn, limit: event.limit },
        'closing: only the submission is accepted',
      );
      return;
    case 'resumed':
      log.info({ ...about, turns: event.turns }, 'resumed from the journal');
      return;
    case 'journal_failed':
    case 'wanted_unknown':
      log.warn({ ...about, detail: event.detail }, event.kind.replace('_', ' '));
      return;
    case 'ended':
      log.info({ ...about, outcome: event.outcome.kind }, 'the run ended');
      return;
    case 'request_sent':
    case 'tool_started':
      return;
  }
}
