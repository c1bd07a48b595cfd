// vitest's reporter of our test commands: what runs now, a failure as soon as it is there, and where the time went.
import { writeFileSync } from 'node:fs';

/** Between two lines where nothing can be overwritten. */
const LINE_EVERY_MS = 30_000;
const live = process.stdout.isTTY && process.env.CI === undefined;

const seconds = (ms) => `${(ms / 1000).toFixed(0)} s`;

function nameOf(path) {
  return path.replace(/^.*\//, '').replace(/\.test\.ts$/, '');
}

/** An error as people read it: what was expected, what caused it, and the places that are ours. */
function describeError(error, files) {
  const frames = (error.stacks ?? [])
    .filter(({ file }) => !file.includes('/node_modules/'))
    .slice(0, files)
    .map(({ file, line, column }) => `    at ${file.replace(`${process.cwd()}/`, '')}:${line}:${column}`);
  const diff = error.diff === undefined ? [] : [error.diff];
  const causes = [];
  for (let { cause } = error; cause !== undefined && cause !== null && causes.length < 3; { cause } = cause)
    causes.push(`    caused by ${cause.code ?? cause.name ?? 'Error'}: ${cause.message ?? cause}`);
  return [`${error.name ?? 'Error'}: ${error.message}`, ...causes, ...diff, ...frames].join('\n');
}

/** Nothing awaited it: all that is known is the file that ran, and the stack, which may be Node's alone. */
function outside({ VITEST_TEST_PATH: path, stack = '' }) {
  const where = path === undefined ? '' : `, while ${nameOf(path)} ran`;
  return `outside of every test${where}\n${stack}`;
}

export default class ProgressReporter {
  #began = Date.now();
  #printed = Date.now();
  #files = { all: 0, done: 0 };
  #tests = { passed: 0, failed: 0 };
  #running = new Set();

  onTestRunStart(specifications) {
    this.#files.all = specifications.length;
  }

  onTestModuleStart(module) {
    this.#running.add(nameOf(module.moduleId));
    this.#show();
  }

  onTestCaseResult(test) {
    const { state, errors } = test.result();
    if (state === 'passed') this.#tests.passed += 1;
    if (state === 'failed') {
      this.#tests.failed += 1;
      this.#fail(`${test.module.relativeModuleId} > ${test.fullName}`, errors);
    }
    this.#show();
  }

  onTestSuiteResult(suite) {
    const errors = suite.errors();
    if (errors.length > 0) this.#fail(`${suite.module.relativeModuleId} > ${suite.fullName}`, errors);
  }

  onTestModuleEnd(module) {
    this.#running.delete(nameOf(module.moduleId));
    this.#files.done += 1;
    const errors = module.errors();
    if (errors.length > 0) this.#fail(module.relativeModuleId, errors);
    this.#show();
  }

  onUserConsoleLog({ content }) {
    this.#print(content.trimEnd());
  }

  onTestRunEnd(modules, errors) {
    for (const error of errors) this.#fail(outside(error), [error]);
    if (live) process.stdout.write('\r\x1b[K');
    else this.#line();
    const report = process.env.KUBEWRIGHT_REPORT;
    if (report !== undefined) writeFileSync(report, JSON.stringify({ testResults: modules.map(resultOf) }));
  }

  #fail(title, errors) {
    this.#print(`FAILED ${title}\n${errors.map((error) => describeError(error, 4)).join('\n')}\n`);
  }

  #print(text) {
    process.stdout.write(`${live ? '\r\x1b[K' : ''}${text}\n`);
    if (live) this.#show();
  }

  #state() {
    const { all, done } = this.#files;
    const { passed, failed } = this.#tests;
    const counts = `${done} of ${all} files, ${passed} tests passed, ${failed} failed`;
    const running = this.#running.size === 0 ? '' : `; now ${[...this.#running].join(', ')}`;
    return `${counts}, ${seconds(Date.now() - this.#began)}${running}`;
  }

  #show() {
    if (live) {
      process.stdout.write(`\r\x1b[K${this.#state().slice(0, (process.stdout.columns ?? 80) - 1)}`);
    } else if (Date.now() - this.#printed >= LINE_EVERY_MS) this.#line();
  }

  #line() {
    this.#printed = Date.now();
    process.stdout.write(`  ${this.#state()}\n`);
  }
}

const STATUS = { passed: 'passed', failed: 'failed', skipped: 'pending', pending: 'pending' };

/** A file in the shape of vitest's own JSON report, and its times. */
function resultOf(module) {
  const { duration, collectDuration, setupDuration } = module.diagnostic();
  return {
    name: module.relativeModuleId,
    status: module.state(),
    ms: duration + collectDuration + setupDuration,
    cpuMs: module.meta().cpuMs ?? 0,
    assertionResults: [...module.children.allTests()].map((test) => ({
      title: test.name,
      ancestorTitles: suitesOf(test),
      status: STATUS[test.result().state],
      duration: test.diagnostic()?.duration ?? 0,
    })),
  };
}

function suitesOf({ parent }) {
  return parent.type === 'suite' ? [...suitesOf(parent), parent.name] : [];
}
