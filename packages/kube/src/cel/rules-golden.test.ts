import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { isJsonObject, type JsonObject } from '../json/json.ts';
import { parseJson } from '../json/parse-json.ts';
import { compileSchema } from '../schema/compile-schema.ts';
import { compileRules } from './compile-rules.ts';

type Outcome = readonly [kind: string, text: string];

/** Expressions that differ, by what the library or this package cannot do. */
const DIFFERENT: Readonly<Record<string, readonly string[]>> = {
  'no decimal begins with a point': ['.5'],
  'keys of maps are of one type': ["{1: 'a'}[dyn(1.0)]"],
  'errors of dynamic values have no function': [
    'null + self.port',
    'null - self.port',
    'null < self.port',
    'bytes(self.port)',
    'bool(self.port)',
    'size(self.port)',
  ],
  'null has no members': ['null[0]', "null['a']", 'optional.none()[0]', "optional.none()['a']"],
  'null is not converted': ['int(null)', 'string(null)', 'duration(null)', 'timestamp(null)'],
  'the arguments of a macro are looked at first': ['self.list.existsOne(x, x == 1)', '[1].exists(x)'],
  'a negative number is no literal': ['duration(-2)'],
  'a dynamic value equals no quantity': ["quantity('1') == self.port"],
};

const read = (name: string): string =>
  readFileSync(new URL(`../../../../goldens/rules/${name}`, import.meta.url), 'utf8');
const object = (name: string): JsonObject => {
  const value = parseJson(read(name));
  return isJsonObject(value) ? value : {};
};
const [schema, self] = [object('schema.json'), object('object.json')];

test('expressions of rules have the values and the errors that Kubernetes gives them', () => {
  const different: string[] = [];
  for (const line of read('outcomes.jsonl').trim().split('\n')) {
    const [expression, ...outcome] = JSON.parse(line) as [string, ...Outcome];
    if (!isSame(outcome, outcomeOf(expression))) different.push(expression);
  }
  expect(different.sort()).toEqual(Object.values(DIFFERENT).flat().sort());
});

function outcomeOf(expression: string): Outcome {
  const printed = `'%s'.format([${expression}])`;
  const rule = { rule: `${printed} == '\\u0007'`, messageExpression: printed };
  const rules = compileRules(compileSchema({ ...schema, 'x-kubernetes-validations': [rule] }));
  const [problem] = rules.problems;
  if (problem) return ['compile', problem.message];
  const detail = rules.validate(self)[0]?.detail ?? '';
  const [, error] = /^(.*?)(?: evaluating rule: |: call arguments did not match )/s.exec(detail) ?? [];
  return error === undefined ? ['value', detail] : ['error', error];
}

/** The first error of a compilation is compared. An error of syntax may be in the library's words, and so may others. */
function isSame([kind, text]: Outcome, [ourKind, ours]: Outcome): boolean {
  if (kind !== 'compile' || ourKind !== 'compile') return kind === ourKind && text === ours;
  const [, ourText = ours] = /ERROR: <input>:(.*)$/m.exec(ours) ?? [];
  return (
    ourText.includes('Syntax error: ') || withoutNames(ourText) === withoutNames(text.split('\n')[0] ?? '')
  );
}

/** Types of objects have names that do not last, and a type as a value may be named without what it is. */
function withoutNames(text: string): string {
  return text.replaceAll(/selfType[.@\w]*/g, 'object').replaceAll(/type\((?:[^()]|\([^()]*\))*\)/g, 'type');
}
