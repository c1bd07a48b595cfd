import { expect, test } from 'vitest';
import { childrenOf, classOf, decidedAt, SETTINGS, statusOf } from '../testing/class-bench.ts';

const FUNCTIONS = ['a', 'b', 'c'];

/** A class that progresses since `t` 0, when none of its functions was ready. */
function begun() {
  const bare = classOf({ functions: FUNCTIONS });
  const status = statusOf(bare, 'progressing', 'Progressing', 0);
  const first = decidedAt(
    0,
    { ...bare, status },
    childrenOf(bare, { 'hello-fn-0': 0, 'hello-fn-1': 0, 'hello-fn-2': 0 }),
  );
  return { ...bare, status: first.decision.status ?? status };
}

test('CRT-D48 while the pods of a class start, its status follows after five seconds and not with each of them', () => {
  const runtime = begun();
  const one = childrenOf(runtime, { 'hello-fn-1': 0, 'hello-fn-2': 0 });
  const soon = decidedAt(2, runtime, one);
  expect(soon.decision).toEqual({ reason: 'Progressing', requeueAfter: 3000 });
  const later = decidedAt(5, runtime, one);
  expect(later.decision.status).toMatchObject({
    phase: 'progressing',
    lifecycle: { ready: 4, progress_at: '2026-01-01T00:00:05Z' },
  });
});

test('CRT-D48 that the class is available, or that something is wrong, is written at once', () => {
  const runtime = begun();
  expect(decidedAt(1, runtime, childrenOf(runtime)).decision.status?.phase).toBe('available');
  expect(decidedAt(1, runtime, []).decision.status?.phase).not.toBe('progressing');
});

test('CRT-D48 a class that may take 20 seconds does not lose a tenth of them', () => {
  const runtime = begun();
  const one = childrenOf(runtime, { 'hello-fn-1': 0, 'hello-fn-2': 0 });
  const settings = { ...SETTINGS, progressTimeout: 20 };
  expect(decidedAt(1, runtime, one, [], { settings }).decision.status).toBeUndefined();
  expect(decidedAt(2, runtime, one, [], { settings }).decision.status?.lifecycle?.ready).toBe(4);
});

test('CRT-D48 the longer a class takes, the rarer are the writes of how far it has come', () => {
  const bare = begun();
  const functions = ['hello-fn-0', 'hello-fn-1', 'hello-fn-2'];
  const written: number[] = [];
  let runtime = bare;
  for (let t = 1; t <= 90; t++) {
    // None, one or two are ready, second by second.
    const unready = Object.fromEntries(functions.slice(t % 3).map((name) => [name, 0]));
    const { status } = decidedAt(t, runtime, childrenOf(runtime, unready)).decision;
    if (status === undefined || status === runtime.status) continue;
    written.push(t);
    runtime = { ...runtime, status };
  }
  expect(written).toEqual([5, 10, 20, 40, 80]);
});
