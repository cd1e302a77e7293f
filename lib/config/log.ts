import { levels, pino } from 'pino';
import type { DestinationStream, Logger } from 'pino';

/**
 * JSON lines, on standard output unless told otherwise. Fields that could hold a secret or a whole payload are blanked,
 * whoever logs them. An unknown level is `info` here, because even the sentence that says so has to be logged.
 */
export const createLog = (level: string = 'info', to?: DestinationStream): Logger =>
  pino(
    {
      level: level === 'silent' || Object.hasOwn(levels.values, level) ? level : 'info',
      base: null,
      redact: {
        paths: [
          'payload',
          'privateKey',
          'apiKey',
          'secret',
          'token',
          'headers.authorization',
          '*.privateKey',
          '*.token',
        ],
        censor: '[not logged]',
      },
    },
    to,
  );
