import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Json } from '../json/json.ts';
import { isJsonArray, isJsonObject } from '../json/json.ts';
import { parseJson } from '../json/parse-json.ts';
import { compareCodePoints } from '../json/compare-code-points.ts';
import { canonicalJson } from '../json/stringify-json.ts';
import { KubeError } from '../kube-error.ts';
import { parseYaml, parseYamlBody } from './parse-yaml.ts';
import { parseYamlStream } from './parse-yaml-stream.ts';

/** The texts that are read in another way, by the reason; docs/apiserver.md says why that stays. */
const accepted = Object.values(
  JSON.parse(readFileSync(new URL('testdata/accepted-differences.json', import.meta.url), 'utf8')) as Record<
    string,
    readonly string[]
  >,
).flat();

type Recorded = readonly [text: string, ...results: Json[]];

/** Each line is a list; `tools/yaml` and goldens/README.md say what it has. */
function recorded(name: string): readonly Recorded[] {
  const text = readFileSync(new URL(`../../../../goldens/yaml/${name}.jsonl`, import.meta.url), 'utf8');
  return text
    .trimEnd()
    .split('\n')
    .map((line) => parseJson(line) as Recorded);
}

/** The text of a value, in which an integer is exact; that of an error says nothing else. */
function outcome(read: () => readonly Json[]): string {
  try {
    return canonicalJson(read());
  } catch (error) {
    if (error instanceof KubeError && ['InvalidYaml', 'InvalidJson'].includes(error.code)) return 'an error';
    throw error;
  }
}

/** The class of a recorded error is for people: our own errors have other words. */
function expected(result: Json | undefined): string {
  return isJsonArray(result) ? canonicalJson(result) : 'an error';
}

/** The only item of a list. */
function itemOf(value: Json): readonly Json[] {
  if (!isJsonArray(value) || value.length !== 1) throw new KubeError('InvalidYaml', 'not one item');
  return value;
}

/** The only key of an object, whose value is 1. */
function keyOf(value: Json): readonly Json[] {
  const keys = isJsonObject(value) ? Object.entries(value) : [];
  if (keys.length !== 1 || keys[0]?.[1] !== 1) throw new KubeError('InvalidYaml', 'not one key');
  return [keys[0][0]];
}

/** UTF-8 has no half of a character: what would be sent. */
function sent(text: string): string {
  return text.replaceAll(/(?<!\\)((?:\\\\)*)\\ud[89a-f]../g, '$1\uFFFD');
}

function acceptedOf(records: readonly Recorded[]): readonly string[] {
  const texts = new Set(records.map(([text]) => text));
  return accepted.filter((text) => texts.has(text)).toSorted(compareCodePoints);
}

test('10,000 scalars are read as sigs.k8s.io/yaml reads them, as values and as keys', () => {
  const scalars = recorded('scalars');
  expect(scalars).toHaveLength(10_000);
  const differing = scalars.filter(([text, item, key]) => {
    const ours = outcome(() => itemOf(parseYaml(`- ${text}\n`).value));
    const ourKey = outcome(() => keyOf(parseYaml(`${text}: 1\n`).value));
    return ours !== expected(item) || ourKey !== expected(key);
  });
  expect(differing.map(([text]) => text).toSorted(compareCodePoints)).toEqual(acceptedOf(scalars));
});

test('1,000 documents are read as a server reads a body, strict or not, and as kubectl reads a file', () => {
  const documents = recorded('documents');
  expect(documents).toHaveLength(1000);
  const differing = documents.filter(([text, body, strict, stream]) => {
    let ourStrict: readonly Json[] = [];
    const ours = outcome(() => {
      const read = parseYamlBody(text, true);
      ourStrict = read.strict;
      return [read.value];
    });
    const ourStream = outcome(() => parseYamlStream(text));
    const isSame = ours === expected(body) && sent(ourStream) === expected(stream);
    return !isSame || (ours !== 'an error' && canonicalJson(ourStrict) !== canonicalJson(strict ?? []));
  });
  expect(differing.map(([text]) => text).toSorted(compareCodePoints)).toEqual(acceptedOf(documents));
});
