import { createManualClock } from '@kubewright/client';
import { expect, test } from 'vitest';
import { progressLines } from './progress-lines.ts';

test('without a terminal, how far a command is is printed every five seconds, also while nothing changes', async () => {
  const clock = createManualClock();
  let out = '';
  const { show, stop } = progressLines((text) => (out += text), clock);
  show('1 of 3');
  await clock.advance(4999);
  expect(out).toBe('');
  show('2 of 3');
  await clock.advance(1);
  expect(out).toBe('2 of 3\n');
  await clock.advance(5000);
  expect(out).toBe('2 of 3\n2 of 3\n');

  show('');
  await clock.advance(20_000);
  show('3 of 3');
  stop();
  await clock.advance(20_000);
  expect(out).toBe('2 of 3\n2 of 3\n');
});
