import { describe, expect, test } from 'vitest';
import { enforcedClass, loadFor, look, play, UNBOUNDED } from '../testing/enforcement-bench.ts';

test('CRT-A43 a jump from 1 to 6 is followed within one range of increases and one stability period, at all defaults', () => {
  // Of a range of ten minutes each minute has a tenth: the load of six replicas is only seen whole at its end.
  const state = play(enforcedClass(), 1800, (t) => 1 + 5 * Math.min(1, t / 600));
  const last = state.applied.at(-1) ?? '';
  expect(last).toMatch(/ -> 6$/);
  expect(Number.parseInt(last, 10)).toBeLessThanOrEqual(600 + 180);
});

test('CRT-A43 a jump that is seen whole within a cooldown is one change', () => {
  const short = { ...UNBOUNDED, stability: 180, cooldown: 120 };
  const state = play(enforcedClass(), 600, (t) => (t < 60 ? 3 : 6), short);
  expect(state.applied).toEqual(['240 hello 1 -> 6']);
});

test('CRT-A43 a target that falls in between, and be it once, begins its window again', () => {
  const rising = play(enforcedClass(), 240, (t) => (t < 60 ? 3 : 4 + t / 120));
  expect(rising.applied).toEqual(['180 hello 1 -> 2']);
  const dipped = play(enforcedClass(), 240, (t) => (t === 120 ? 2 : 4));
  expect(dipped.applied).toEqual([]);
});

describe('CRT-A44 one sample of load, with nothing after it, is not enforced', () => {
  test.each([0, 0.9])('where stability is the greatest age of a load, %d s after a second began', (t) => {
    const begun = enforcedClass();
    const once = loadFor(begun, 5, t);
    const later = [180, 180 + t, 181].reduce(
      (state, now) => look(state, now, once, UNBOUNDED),
      look(begun, t, once, UNBOUNDED) as typeof begun,
    );
    expect(later.applied).toEqual([]);
  });

  test('and a second one that says the same is', () => {
    const begun = enforcedClass();
    const first = look(begun, 0.9, loadFor(begun, 5, 0.9), UNBOUNDED);
    const second = look(first, 61, loadFor(first, 5, 60.5), UNBOUNDED);
    expect(look(second, 181, loadFor(second, 5, 60.5), UNBOUNDED).applied).toEqual(['181 hello 1 -> 5']);
  });
});
