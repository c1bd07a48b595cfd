import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Unit tests are beside their source, and short but for some. What starts servers, processes and worlds is in `test`; the files of
 * the first two lines take minutes, so that a run would end with one of them alone. Some of them wait most of the time, and are
 * first because `npm test` checks types then.
 */
const SLOW = [
  /\/test\/(packages|contracts\/(chaos|hostile-admission|capture-requests|synthesizers)|simulate\/rules|kubectl-goldens)/,
  /\/test\/contracts\/(migration|brokers)\//,
  /\/test\/|\/kubewright\/src\/(cli|run)\/|\/exhaustive\.test/,
];

function rank({ moduleId }: TestSpecification): number {
  const found = SLOW.findIndex((pattern) => pattern.test(moduleId));
  return found < 0 ? SLOW.length : found;
}

/** vitest knows how long files take when it has run them before. On a fresh clone no worker may end with the longest. */
export class SlowFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => rank(a) - rank(b));
  }
}
