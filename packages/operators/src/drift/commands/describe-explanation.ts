import { type Json, stringifyJson } from '@kubewright/kube';
import { printable } from '../../kit/paint.ts';
import { textTable } from '../../kit/text-table.ts';
import type { LoggedDecision } from '../decision-log/decision-logs.ts';
import { changeText } from './describe-object.ts';
import type { ExplainedField } from './explain-fields.ts';
import type { Explanation } from './explanation.ts';

const MOST_FIELDS = 200;
const MOST_DENIED = 10;
const LONGEST_VALUE = 40;

/** An explanation for people: a table of fields, and what was denied. */
export function describeExplanation({ kind, name, namespace, fields, denied }: Explanation): string {
  const where = namespace === undefined ? '' : ` in namespace ${namespace}`;
  const heading = printable(`${kind} ${name}${where}\n\n`);
  const more = fields.length - MOST_FIELDS;
  return [
    heading,
    textTable([['FIELD', 'VALUE', 'SET BY', 'WHEN', 'WHY'], ...fields.slice(0, MOST_FIELDS).map(rowOf)]),
    more > 0 ? `and ${more} more fields; all of them with -o json\n` : '',
    denied.length === 0
      ? ''
      : printable(`\nDenied\n${denied.slice(0, MOST_DENIED).map(deniedLine).join('')}`),
  ].join('');
}

function rowOf({ path, value, decision, writer }: ExplainedField): readonly string[] {
  if (decision !== undefined) return [path, shown(value), decision.user, decision.time, whyText(decision)];
  if (writer === undefined) return [path, shown(value), '?', '?', 'not in the log, and nobody claims it'];
  const { manager, operation, time } = writer;
  return [path, shown(value), `${manager} (${operation})`, time, 'not in the log; as managedFields says'];
}

/** In one line, cut. */
function shown(value: Json): string {
  const text = stringifyJson(value);
  return text.length <= LONGEST_VALUE ? text : `${text.slice(0, LONGEST_VALUE - 1)}…`;
}

/** Why a change was let in. */
function whyText({ reason, trace, approval, hops }: LoggedDecision): string {
  if (approval !== undefined) {
    const by = approval.by === undefined ? '' : ` by ${approval.by}`;
    return `drift, approved ${approval.mode}${by}`;
  }
  if (reason === 'Drift') return 'drift, allowed in mode log';
  const [origin] = trace;
  if (origin === undefined) return reason;
  if (hops > 1) return `because ${changeText(origin)}`;
  const labels = Object.entries(origin.labels ?? {}).map(([key, value]) => `${key}: ${value}`);
  return labels.length === 0 ? 'the cause itself' : `the cause itself (${labels.join(', ')})`;
}

const VERBS = { CREATE: 'create it', UPDATE: 'change', DELETE: 'delete it' } as const;

function deniedLine({ time, times, user, operation, fields, reason }: LoggedDecision): string {
  const what = [VERBS[operation], ...(fields.length === 0 ? [] : [fields.join(', ')])].join(' ');
  const often = times === 1 ? '' : `, ${times} times`;
  return `  ${time}${often}: ${user} wanted to ${what}: ${reason}\n`;
}
