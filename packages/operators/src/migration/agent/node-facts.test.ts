import { expect, test } from 'vitest';
import { criuProblem, runtimeProblem } from './node-facts.ts';

test.each([
  ['4.2.1', '6.18.44', false],
  ['4.2', '6.16', false],
  ['5.0', '7.0.1', false],
  ['4.1.1', '6.15.9', false],
  ['3.17', '6.1.0-amd64', false],
  ['4.1.1', '6.16', true],
  ['4.1.1', '6.18.44-cloud', true],
  ['3.17', '7.0', true],
])('CRIU %s on Linux %s: too old is %s', (criu, kernel, isTooOld) => {
  const problem = criuProblem(criu, kernel);
  expect(problem !== undefined).toBe(isTooOld);
  if (isTooOld)
    expect(problem).toBe(`CRIU ${criu} is too old for Linux ${kernel}: install CRIU 4.2 or later`);
});

test('a node without CRIU restores nothing', () => {
  expect(criuProblem('', '6.18')).toBe('it has no CRIU: install CRIU 4.2 or later');
});

test('containerd says whether it restores', () => {
  const dump = (value: string): string =>
    `[plugins]\n  [plugins.'io.containerd.cri.v1.runtime']\n    enable_experimental_restore_via_create = ${value}\n`;
  expect(runtimeProblem(dump('false'))).toContain('enable_experimental_restore_via_create = true');
  expect(runtimeProblem(dump('true'))).toBeUndefined();
  // Versions before that setting restore.
  expect(runtimeProblem('version = 3\n')).toBeUndefined();
});
