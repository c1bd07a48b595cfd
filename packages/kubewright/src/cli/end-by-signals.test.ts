import { PassThrough } from 'node:stream';
import { createManualClock } from '@kubewright/client';
import { expect, test } from 'vitest';
import { endBySignals, type Ending } from './end-by-signals.ts';

type Played = {
  readonly ending: Ending;
  readonly clock: ReturnType<typeof createManualClock>;
  readonly send: (name: string) => void;
  readonly exits: readonly number[];
  readonly said: () => string;
  readonly stdin: PassThrough;
};

function play(): Played {
  const clock = createManualClock();
  const listeners = new Map<string, () => void>();
  const exits: number[] = [];
  const [stdin, stderr] = [new PassThrough(), new PassThrough()];
  const proc = {
    stdin,
    stderr,
    on: (name: string, listener: () => void) => void listeners.set(name, listener),
    exit: (code: number) => void exits.push(code),
    getActiveResourcesInfo: () => ['TCPSocketWrap', 'Timeout', 'TCPSocketWrap'],
  };
  const ending = endBySignals(proc as never, clock);
  const said = (): string => String(stderr.read() ?? '');
  return { ending, clock, send: (name) => listeners.get(name)?.(), exits, said, stdin };
}

test('the first signal stops the command, and the end of its input is not waited for', () => {
  const { ending, send, exits, stdin } = play();
  expect(ending.signal.aborted).toBe(false);
  send('SIGINT');
  expect(ending.signal.aborted).toBe(true);
  expect(stdin.destroyed).toBe(true);
  expect(exits).toEqual([]);
});

test('a second signal ends the process at once', async () => {
  const { clock, send, exits } = play();
  send('SIGINT');
  await clock.advance(501);
  send('SIGTERM');
  expect(exits).toEqual([143]);
});

test('the signal that npm passes on is no second one', async () => {
  const { clock, send, exits } = play();
  send('SIGINT');
  await clock.advance(20);
  send('SIGINT');
  expect(exits).toEqual([]);
});

test('a parent that is gone after the signal, however late that is seen, is no second one', async () => {
  const { ending, clock, send, exits } = play();
  send('SIGTERM');
  await clock.advance(2000);
  ending.stop();
  expect(exits).toEqual([]);
});

test('what has not ended after five seconds is ended, and named', async () => {
  const { clock, send, exits, said } = play();
  send('SIGINT');
  await clock.advance(4999);
  expect(exits).toEqual([]);
  await clock.advance(1);
  expect(exits).toEqual([130]);
  expect(said()).toBe('kubewright: ended after 5000 ms with these still open: 2 × TCPSocketWrap, Timeout\n');
});

test('a command that works on after the signal has so much longer', async () => {
  const { ending, clock, send, exits } = play();
  ending.worksOn(10_000);
  send('SIGTERM');
  await clock.advance(14_999);
  expect(exits).toEqual([]);
  await clock.advance(1);
  expect(exits).toEqual([143]);
});
