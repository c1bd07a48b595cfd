// Reads vitest's JSON report, or that of scripts/progress-reporter.mjs: totals, what was skipped and why.
import { readFileSync } from 'node:fs';

/**
 * @param {string} path of a report written by a reporter
 * @returns {{ files: {name: string, ms: number, cpuMs: number}[], tests: {title: string, suites: string[], status: string, file: string, ms: number}[], passed: number, failed: number, skipped: number }}
 */
export function readReport(path) {
  const report = JSON.parse(readFileSync(path, 'utf8'));
  const tests = report.testResults.flatMap((file) =>
    file.assertionResults.map((test) => ({
      title: test.title,
      suites: test.ancestorTitles,
      status: test.status,
      file: file.name,
      ms: test.duration ?? 0,
    })),
  );
  const count = (status) => tests.filter((test) => test.status === status).length;
  // A file that cannot be loaded holds no test and fails all the same.
  const unloaded = report.testResults.filter(
    (file) => file.status === 'failed' && file.assertionResults.length === 0,
  );
  const passed = count('passed');
  const failed = count('failed') + unloaded.length;
  return {
    files: report.testResults,
    tests,
    passed,
    failed,
    skipped: tests.length - passed - count('failed'),
  };
}

/** Lines that say why tests were skipped and how to enable them: a skipped suite's title ends with `[needs …]`. */
export function skippedSuites({ tests }) {
  const groups = new Map();
  for (const test of tests) {
    if (test.status === 'passed' || test.status === 'failed') continue;
    const titles = [...test.suites, test.title];
    const reason = titles.map((title) => /\[(needs .*)\]$/.exec(title)?.[1]).find(Boolean);
    const key = reason ?? `no reason given: ${titles.join(' > ')}`;
    groups.set(key, (groups.get(key) ?? 0) + 1);
  }
  if (groups.size === 0) return [];
  return [
    'skipped:',
    ...[...groups].map(([reason, count]) => `  ${count} ${count === 1 ? 'test' : 'tests'}: ${reason}`),
  ];
}

/** The last line of every test command; machines read it. */
export function closingLine({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}
