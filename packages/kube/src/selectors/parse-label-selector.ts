import { compareText } from '../json/compare-text.ts';
import { KubeError } from '../kube-error.ts';
import { formatFieldErrors } from '../schema/format-field-error.ts';
import { keyErrors, labelRequirement } from './label-requirement.ts';
import type { LabelRequirement, LabelSelector, SelectorOperator } from './label-selector.ts';
import { type SelectorToken, tokenizeLabelSelector } from './tokenize-label-selector.ts';

/**
 * Parses the `labelSelector` of a request: `app=web,tier in (a,b),!gone,n>3`.
 * Throws {@link KubeError} `InvalidSelector`, worded as Go's `labels.Parse` words it.
 */
export function parseLabelSelector(text: string): LabelSelector {
  const cursor: Cursor = { tokens: tokenizeLabelSelector(text), at: 0 };
  const requirements: LabelRequirement[] = [];
  for (let token = peek(cursor); token.type !== 'end'; token = peek(cursor)) {
    if (!beginsRequirement(token)) {
      throw failure(`found '${token.text}', expected: !, identifier, or 'end of string'`);
    }
    requirements.push(parseRequirement(cursor));
    const next = take(cursor);
    if (next.type === 'end') break;
    if (next.type !== ',') throw failure(`found '${next.text}', expected: ',' or 'end of string'`);
    const following = peek(cursor);
    if (!beginsRequirement(following)) {
      throw failure(`found '${following.text}', expected: identifier after ','`);
    }
  }
  return requirements.sort((a, b) => compareText(a.key, b.key));
}

type Cursor = { readonly tokens: readonly SelectorToken[]; at: number };

const END: SelectorToken = { type: 'end', text: '' };
const OPERATORS: Readonly<Record<string, SelectorOperator>> = {
  in: 'in',
  notin: 'notin',
  '=': '=',
  '==': '==',
  '!=': '!=',
  '>': 'gt',
  '<': 'lt',
};

const peek = (cursor: Cursor): SelectorToken => cursor.tokens[cursor.at] ?? END;
const take = (cursor: Cursor): SelectorToken => cursor.tokens[cursor.at++] ?? END;

/** `in` and `notin` are identifiers except in the place of an operator. */
const isWord = (token: SelectorToken): boolean =>
  token.type === 'word' || token.type === 'in' || token.type === 'notin';

const beginsRequirement = (token: SelectorToken): boolean => isWord(token) || token.type === '!';

const failure = (message: string): KubeError => new KubeError('InvalidSelector', message);

function parseRequirement(cursor: Cursor): LabelRequirement {
  try {
    return readRequirement(cursor);
  } catch (error) {
    if (!(error instanceof KubeError)) throw error;
    throw new KubeError('InvalidSelector', `unable to parse requirement: ${error.message}`, { cause: error });
  }
}

function readRequirement(cursor: Cursor): LabelRequirement {
  const negated = peek(cursor).type === '!';
  if (negated) take(cursor);
  const key = take(cursor);
  if (!isWord(key)) throw failure(`found '${key.text}', expected: identifier`);
  const errors = keyErrors(key.text, '<nil>');
  if (errors.length > 0) throw failure(formatFieldErrors(errors));
  const next = peek(cursor).type;
  if (negated) return labelRequirement(key.text, '!', []);
  if (next === 'end' || next === ',') return labelRequirement(key.text, 'exists', []);
  const operator = readOperator(cursor);
  const values = operator === 'in' || operator === 'notin' ? readValues(cursor) : [readValue(cursor)];
  return labelRequirement(key.text, operator, values);
}

function readOperator(cursor: Cursor): SelectorOperator {
  const token = take(cursor);
  const operator = Object.hasOwn(OPERATORS, token.type) ? OPERATORS[token.type] : undefined;
  if (!operator) throw failure(`found '${token.text}', expected: in, notin, =, ==, !=, gt, lt`);
  return operator;
}

function readValue(cursor: Cursor): string {
  const next = peek(cursor);
  if (next.type === 'end' || next.type === ',') return '';
  const token = take(cursor);
  if (!isWord(token)) throw failure(`found '${token.text}', expected: identifier`);
  return token.text;
}

/** `(a,b)`, where an empty place is the empty value: `(a,)`, `()`. */
function readValues(cursor: Cursor): string[] {
  const open = take(cursor);
  if (open.type !== '(') throw failure(`found '${open.text}' expected: '('`);
  const first = peek(cursor);
  if (first.type !== ')' && first.type !== ',' && !isWord(first)) {
    throw failure(`found '${first.text}', expected: ',', ')' or identifier`);
  }
  return collectValues(cursor);
}

function collectValues(cursor: Cursor): string[] {
  const values = new Set<string>();
  let expectsValue = true;
  for (let token = take(cursor); ; token = take(cursor)) {
    const separates = token.type === ')' || token.type === ',';
    if (separates ? expectsValue : isWord(token) && expectsValue) values.add(separates ? '' : token.text);
    else if (!separates) {
      throw failure(`found '${token.text}', expected: ${expectsValue ? "',', or identifier" : "',' or ')'"}`);
    }
    if (token.type === ')') return [...values].sort();
    expectsValue = token.type === ',';
  }
}
