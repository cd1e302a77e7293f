import type { LoopEvent } from '../lib/agent/loop-event.js';

/** `--trace`: the event stream as text, with everything that went to the model. */
export const createTrace =
  (write: (text: string) => void) =>
  (event: LoopEvent): void => {
    switch (event.kind) {
      case 'request_sent':
        if (event.prefix !== undefined) {
          write(`--- system\n${event.prefix.system}\n`);
          write(`--- tools\n${event.prefix.tools.map((tool) => tool.name).join(', ')}\n`);
        }
        for (const message of event.added) {
          for (const block of message.content) {
            switch (block.type) {
              case 'text':
                write(`--- ${message.role}, turn ${event.turn}\n${block.text}\n`);
                break;
              case 'tool_use':
                write(`--- ${message.role} calls ${block.name}\n${JSON.stringify(block.input)}\n`);
                break;
              case 'tool_result':
                write(`--- result${block.isError ? ' (error)' : ''}\n${block.text}\n`);
                break;
              case 'provider':
                write('--- thinking, kept as it came\n');
                break;
            }
          }
        }
        return;
      case 'turn_received':
        write(
          `=== turn ${event.turn} in ${event.ms} ms: ${event.stop.kind}, ${event.usage.inputTokens} in, ${event.usage.outputTokens} out\n`,
        );
        return;
      case 'tool_finished':
        write(
          `    ${event.name} ${JSON.stringify(event.input)}: ${event.chars} characters, ${event.ms} ms${event.failed ? ', refused' : ''}\n`,
        );
        return;
      case 'submission_sent_back':
        write(`=== sent back (${event.tryNumber} of ${event.tries})\n${event.reasons.join('\n')}\n`);
        return;
      case 'follow_up_asked':
        write(`=== accepted, one thing more is asked\n`);
        return;
      case 'follow_up_unanswered':
        write(`=== not answered: ${event.outcome.kind}\n`);
        return;
      case 'closing':
        write(`=== closing: ${event.limit}\n`);
        return;
      case 'resumed':
        write(`=== resumed after ${event.turns} turns\n`);
        return;
      case 'ended':
        write(`=== ended: ${event.outcome.kind}\n`);
        return;
      case 'tool_started':
      case 'journal_failed':
      case 'wanted_unknown':
        write(`    ${JSON.stringify(event)}\n`);
        return;
    }
  };
