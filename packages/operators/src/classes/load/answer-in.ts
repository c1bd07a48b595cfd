import { defined, getOwn, isJsonArray, isJsonObject, type Json, parseJson } from '@kubewright/kube';
import { OperatorError } from '../../operator-error.ts';
import type { MetricsAnswer, Series } from './metrics-source.ts';
import { nextStep } from './next-step.ts';

/** Characters of a warning or an error that are kept. */
const LONGEST_TEXT = 200;

/** What a response says. Throws, with what to do about it, where it has no vector. */
export function answerIn(status: number, body: Uint8Array): MetricsAnswer {
  const answer = jsonOr(body);
  if (status !== 200 || at(answer, 'status') !== 'success') throw rejected(status, answer, body);
  const result = at(at(answer, 'data'), 'result');
  const type = at(at(answer, 'data'), 'resultType');
  if (type !== 'vector' || !isJsonArray(result))
    throw new OperatorError('Failed', "Prometheus' result is not a vector");
  return defined({ series: result.flatMap((item) => seriesOf(item)), warning: warningIn(answer) });
}

/** Its error is in JSON, or, of a proxy on the way, in a line of text. */
function rejected(status: number, answer: Json, body: Uint8Array): OperatorError {
  const error = at(answer, 'error');
  const said = typeof error === 'string' ? error : '';
  const step = nextStep(status, said === '' ? Buffer.from(body).toString('utf8', 0, LONGEST_TEXT) : said);
  const why = [said.slice(0, LONGEST_TEXT), step].filter((text) => text !== undefined && text !== '');
  return new OperatorError('Failed', [`Prometheus responded ${status}`, ...why].join(': '));
}

/** Thanos says in `warnings` which store it has not read, VictoriaMetrics in `isPartial` that a node was away. */
function warningIn(answer: Json): string | undefined {
  const warnings = at(answer, 'warnings');
  const [first] = isJsonArray(warnings) ? warnings : [];
  if (first !== undefined) return typeof first === 'string' ? first.slice(0, LONGEST_TEXT) : 'warnings';
  return at(answer, 'isPartial') === true ? 'isPartial' : undefined;
}

function jsonOr(body: Uint8Array): Json {
  try {
    return parseJson(body);
  } catch {
    return null;
  }
}

/** Samples that are not finite numbers (`NaN`, `+Inf`) are dropped. */
function seriesOf(item: Json): readonly Series[] {
  const sample = at(item, 'value');
  const text = isJsonArray(sample) ? sample[1] : undefined;
  const value = typeof text === 'string' && text.trim() !== '' ? Number(text) : Number.NaN;
  if (!Number.isFinite(value)) return [];
  const metric = at(item, 'metric');
  const labels = isJsonObject(metric) ? Object.entries(metric) : [];
  const texts = labels.filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  return [{ labels: Object.fromEntries(texts), value }];
}

function at(value: Json | undefined, key: string): Json | undefined {
  return isJsonObject(value) ? getOwn(value, key) : undefined;
}
