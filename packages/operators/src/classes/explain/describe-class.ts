import type { ClassRuntime } from '../api.ts';
import { TABLE } from '../decide/table.ts';
import { type Paint, printable } from '../../kit/paint.ts';
import type { ExplainedFunction, Explanation } from './explain-class.ts';
import { tableLines } from './table-lines.ts';

/** Formats an {@link Explanation} as text. */
export function describeClass(
  { metadata: { name, namespace } }: ClassRuntime,
  explanation: Explanation,
  paint: Paint,
): string {
  const { phase, reason, message, inPhase, row, next, unready, coming, functions } = explanation;
  const decides = TABLE[row];
  const lines = [
    `${paint('bold', `ClassRuntime ${name} in ${namespace}`)}: ${paint(colourOf(phase), phase)}, for ${inPhase} s`,
    `  ${reason}: ${message}`,
    ...(decides === undefined
      ? []
      : [
          `  because of row ${row + 1}: ${decides.when}`,
          `  then: ${decides.does}`,
          `  until: ${decides.until}`,
        ]),
    ...unready.map((text) => `  not ready: ${text}`),
    ...coming.map((one) => `  in ${one.seconds} s it is ${one.reason}: ${one.message}`),
    `  next check: ${next === undefined ? 'on the next change' : `in ${next.seconds} s, ${next.why}`}`,
    '',
    ...functions.map((each) => functionLine(each)),
    ...(functions.length === 0 ? [] : ['']),
    'The first row that holds decides:',
    ...tableLines(row).map((line, index) => (index === row ? paint('bold', line) : line)),
    '',
  ];
  return printable(lines.join('\n'));
}

/** The colour of a phase. */
export function colourOf(phase: string): Parameters<Paint>[0] {
  if (phase === 'available') return 'green';
  return phase === 'degraded' ? 'red' : 'yellow';
}

function functionLine({ key, state, nfr }: ExplainedFunction): string {
  if (nfr === undefined) return `  ${key}: ${state}; no recommendation`;
  const { current, recommended, basis, histograms, scaled_by: owner, decision, enforcement } = nfr;
  const counted = histograms === undefined ? '' : ` (requests in ${histograms} histograms)`;
  const bounded =
    enforcement === undefined || enforcement.target === recommended ? '' : `, at most ${enforcement.target}`;
  return `  ${key}: ${state}; ${current} replicas, recommended ${recommended} by ${basis}${counted}${bounded}: ${decision}${owner === undefined ? '' : `; scaled by ${owner}`}`;
}
