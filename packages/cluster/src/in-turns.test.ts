import type { ApiRequest, ApiResponse, Transport } from '@kubewright/kube';
import { expect, test } from 'vitest';
import { inTurns } from './in-turns.ts';
import { turnTimer } from './world/turn-timer.ts';

const CALL: ApiRequest = { method: 'GET', path: '/api', headers: {} };

async function* nothing(): ApiResponse['body'] {}

test('requests of two users within the process leave a turn of the loop to others after each', async () => {
  const log: string[] = [];
  const server = (name: string): Transport => ({
    async request() {
      log.push(name);
      return { status: 200, headers: {}, body: nothing() };
    },
    close: async () => undefined,
  });
  const order = { last: Promise.resolve() };
  const [one, two] = [inTurns(server('one'), order), inTurns(server('two'), order)];
  let isOver = false;
  const look = (): void => {
    log.push('turn');
    if (!isOver) turnTimer(look);
  };
  turnTimer(look);
  await Promise.all([one.request(CALL), two.request(CALL), one.request(CALL)]);
  isOver = true;
  expect(log.filter((line) => line !== 'turn')).toEqual(['one', 'two', 'one']);
  expect(log.join(' ')).toMatch(/one (turn )+two (turn )+one/);
});
