import { spawnSync } from 'node:child_process';
import {
  array,
  constant,
  constantFrom,
  dictionary,
  double,
  letrec,
  maxSafeInteger,
  nat,
  oneof,
  sample,
  string,
} from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalJson } from '../../../packages/migratable/src/canonical-json.ts';
import { PYTHON, whyNoPython } from '../../servers/python.ts';
import { SAMPLE_ENV } from '../../support/python-process.ts';

const why = whyNoPython();

describe.skipIf(why !== undefined)(`JSON in Python${why === undefined ? '' : ` [${why}]`}`, () => {
  const SCRIPT = `
import json, sys
from migratable import canonical_json
for line in sys.stdin:
    print(json.dumps(canonical_json(json.loads(line))))
`;
  /** The canonical text of each, as the sample has it. */
  function canonicalInPython(values: readonly unknown[]): readonly unknown[] {
    const input = values.map((value) => JSON.stringify(value)).join('\n');
    const { stdout, stderr } = spawnSync(PYTHON, ['-c', SCRIPT], {
      input,
      env: SAMPLE_ENV,
      encoding: 'utf8',
    });
    if (stderr !== '') throw new Error(stderr);
    return stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown);
  }

  test('the canonical text of a state is that of TypeScript, so digests are equal', () => {
    const key = oneof(string({ unit: 'binary' }), nat({ max: 2 ** 32 }).map(String), constant('__proto__'));
    const { value } = letrec((tie) => ({
      value: oneof(
        { depthSize: 'small' },
        double({ noNaN: true, noDefaultInfinity: true }),
        maxSafeInteger(),
        constantFrom(null, true, false, 1e21, 1e-6, 1e-7, 123456789012345680000, '\ud800', '\u2028\u007f'),
        string({ unit: 'binary' }),
        array(tie('value')),
        dictionary(key, tie('value')),
      ),
    }));
    const values = sample(value, { seed: 1, numRuns: 2000 });
    expect(canonicalInPython(values)).toEqual(values.map((one) => canonicalJson(one)));
  });
});
