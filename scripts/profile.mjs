// npm test -- --profile: where the time of a run went.
import { existsSync, readFileSync } from 'node:fs';

const SHOWN = 15;
const seconds = (ms) => `${(ms / 1000).toFixed(1).padStart(7)} s`;

/**
 * @param {{ title: string, ms: number }[]} steps
 * @param {string} path of what scripts/progress-reporter.mjs wrote
 * @returns {string[]} lines: the steps, the slowest files and the slowest tests
 */
export function profileLines(steps, path) {
  const files = existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : [];
  const tests = files.flatMap(({ file, tests }) => tests.map((test) => ({ ...test, file })));
  const slowest = (list, by) => list.toSorted((a, b) => by(b) - by(a)).slice(0, SHOWN);
  return [
    'steps:',
    ...steps.map(({ title, ms }) => `${seconds(ms)}  ${title}`),
    'files, by processor time (with that of the processes they start), and how long they took:',
    ...slowest(files, ({ cpuMs }) => cpuMs).map(
      ({ cpuMs, ms, file }) => `${seconds(cpuMs)} ${seconds(ms)}  ${file}`,
    ),
    'tests:',
    ...slowest(tests, ({ ms }) => ms).map(({ ms, file, name }) => `${seconds(ms)}  ${file} > ${name}`),
  ];
}
