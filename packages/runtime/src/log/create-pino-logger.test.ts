import { describe, expect, it } from 'vitest';
import { RuntimeError, terminalError } from '../runtime-error.ts';
import { createPinoLogger } from './create-pino-logger.ts';

describe('the pino logger', () => {
  it('writes a JSON line per message, with the fields of its ancestors and the error’s own', () => {
    const lines: Record<string, unknown>[] = [];
    const destination = {
      write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>),
    };
    const log = createPinoLogger({ level: 'info', destination }).child({ controller: 'c' });
    log.debug('not shown');
    log
      .child({ object: 'ns/a' })
      .error('failed', { error: terminalError('no use', new RuntimeError('TimedOut', 'below')) });
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatchObject({
      level: 50,
      msg: 'failed',
      controller: 'c',
      object: 'ns/a',
      error: { type: 'RuntimeError', message: 'no use: below', code: 'Terminal' },
    });
  });
});
