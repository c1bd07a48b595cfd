import { describe, expect, test } from 'vitest';
import { childrenOf, classOf, decidedAt, statusOf, timeAt, waitingPod } from '../testing/class-bench.ts';

const HELLO = classOf();
const PROGRESSING = { ...HELLO, status: statusOf(HELLO, 'progressing', 'Progressing', 0) };
const UNREADY = childrenOf(HELLO, { hello: 0 });

describe('CRT-D41 restarts of long ago are no crash loop', () => {
  const restarted = (state: object, lastState: object) => {
    const pod = waitingPod(HELLO, '', { restartCount: 7 });
    const containerStatuses = (pod.status?.containerStatuses ?? []).map((one) => ({
      ...one,
      state,
      lastState,
    }));
    return [{ ...pod, status: { ...pod.status, containerStatuses } }];
  };
  const ended = (startedAt: number, finishedAt: number) => ({
    terminated: { exitCode: 1, startedAt: timeAt(startedAt), finishedAt: timeAt(finishedAt) },
  });
  const HALF_A_YEAR = -15_552_000;
  const BACK_OFF = { waiting: { reason: 'CrashLoopBackOff' } };

  test.each([
    ['a container that is unready, and ended half a year ago', {}, ended(HALF_A_YEAR - 5, HALF_A_YEAR)],
    ['a container that ran for half a year and ends now', BACK_OFF, ended(HALF_A_YEAR, 39)],
  ])('%s', (_title, state, lastState) => {
    const told = decidedAt(40, PROGRESSING, UNREADY, restarted(state, lastState));
    expect(told).toMatchObject({ phase: 'progressing' });
  });

  test.each([
    ['a container that is unready, and ended a minute ago', {}, ended(-25, -20)],
    ['a container that ran for a second, and waits', BACK_OFF, ended(38, 39)],
  ])('%s is in one', (_title, state, lastState) => {
    const told = decidedAt(40, PROGRESSING, UNREADY, restarted(state, lastState));
    expect(told).toMatchObject({ phase: 'degraded', reason: 'CrashLoop' });
  });
});
