import { expect, test } from 'vitest';
import { type CompiledDynamic, celAllowance, compileDynamic } from './compile-dynamic.ts';
import type { Failure } from './expression.ts';

const list = Array.from({ length: 1000 }, (_, i) => i);

function compiled(text: string): CompiledDynamic {
  const result: CompiledDynamic | Failure = compileDynamic(text, ['self']);
  return 'failure' in result ? expect.unreachable(result.failure) : result;
}

test('an evaluation that costs too much throws, also where CEL swallows the error', () => {
  for (const text of [
    'self.all(a, self.all(b, a + b >= 0))',
    'self.exists(a, self.exists(b, a + b < 0)) || true',
  ])
    expect(() => compiled(text).evaluate({ self: list })).toThrow('actual cost limit exceeded');
});

test('a result that is larger than the work that made it is not copied', () => {
  expect(() => compiled(`[self]${'.map(x, [x, x])'.repeat(40)}`).evaluate({ self: 1 })).toThrow(
    'cost limit exceeded',
  );
});

test('evaluations for one object share what they may cost', () => {
  const { evaluate } = compiled('self.all(a, self.exists(b, b == 20))');
  const allowance = celAllowance();
  const costs = Array.from({ length: 20 }, () => {
    try {
      return evaluate({ self: list }, allowance);
    } catch {
      return 'stopped';
    }
  });
  expect([costs[0], costs.at(-1)]).toEqual([true, 'stopped']);
  expect(evaluate({ self: list })).toBe(true);
});

test('expressions of one object are not compiled any more when they are too long in all', () => {
  const allowance = celAllowance();
  const text = `self == '${'x'.repeat(10_000)}'`;
  const failures = Array.from({ length: 9 }, () => 'failure' in compileDynamic(text, ['self'], allowance));
  expect([failures[0], failures.at(-1)]).toEqual([false, true]);
  expect(compileDynamic(`self == '${'x'.repeat(20_000)}'`, ['self'])).toHaveProperty('failure');
});

test('a long expression is compiled in steps that grow as its length', () => {
  const { evaluate } = compiled(`self == 1${' || self == 2'.repeat(1400)}`);
  expect(evaluate({ self: 2 })).toBe(true);
});
