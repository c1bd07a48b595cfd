// npm test -- --profile: where the time of a run went.
const SHOWN = 15;
const seconds = (ms) => `${(ms / 1000).toFixed(1).padStart(7)} s`;

/**
 * @param {{ title: string, ms: number }[]} steps
 * @param {ReturnType<typeof import('./report.mjs').readReport>} report
 * @returns {string[]} lines: the steps, the files that took the most processor time, the slowest tests
 */
export function profileLines(steps, { files, tests }) {
  const most = (list, by) => list.toSorted((a, b) => by(b) - by(a)).slice(0, SHOWN);
  return [
    'steps:',
    ...steps.map(({ title, ms }) => `${seconds(ms)}  ${title}`),
    'files, by processor time (with that of the processes they start), and how long they took:',
    ...most(files, ({ cpuMs }) => cpuMs).map(
      ({ cpuMs, ms, name }) => `${seconds(cpuMs)} ${seconds(ms)}  ${name}`,
    ),
    'tests:',
    ...most(tests, ({ ms }) => ms).map(
      ({ ms, file, suites, title }) => `${seconds(ms)}  ${file} > ${[...suites, title].join(' > ')}`,
    ),
  ];
}
