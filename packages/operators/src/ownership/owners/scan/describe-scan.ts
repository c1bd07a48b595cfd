import { type Paint, printable } from '../../../kit/paint.ts';
import { ownerName } from '../render-tree.ts';
import type { LeftoverObject, SplitObject } from './scan-kind.ts';
import type { ManagerPair, ScanReport } from './scan-report.ts';

/** The report of a scan for people. */
export function describeScan(report: ScanReport, paint: Paint): string {
  const { pairs, unreadable, leftovers, skipped } = report;
  return [
    ...pairs.map((pair) => `${describePair(pair, paint)}\n`),
    ...describeLeftovers(leftovers, paint),
    ...unreadable.map(
      (entry) =>
        `${paint('red', 'unreadable')} ${printable(`${nameOf(entry)}: the entry of ${entry.manager || 'an unnamed manager'}: ${entry.problem}`)}\n`,
    ),
    ...skipped.map(
      ({ kind, problem }) => `${paint('yellow', 'not scanned')} ${printable(`${kind}: ${problem}`)}\n`,
    ),
    `${summaryOf(report)}\n`,
    ...hintOf(pairs[0]),
    ...removalHint(leftovers[0]),
  ].join('');
}

function describeLeftovers(leftovers: readonly LeftoverObject[], paint: Paint): readonly string[] {
  if (leftovers.length === 0) return [];
  const title = `nobody applies any more: ${counted(leftovers.length, 'object')}`;
  const rows = leftovers.map(
    (object) =>
      `  ${printable(`${nameOf(object)}   ${counted(object.fields, 'field')}, such as ${object.paths[0] ?? ''}, owned by ${object.owners.length === 0 ? 'nobody' : object.owners.join(', ')}`)}\n`,
  );
  return [`${paint('bold', title)}\n`, ...rows];
}

function removalHint(object: LeftoverObject | undefined): readonly string[] {
  if (object === undefined) return [];
  const { kind, namespace, name, paths } = object;
  const where = namespace === undefined ? '' : ` -n ${namespace}`;
  const line = `kubewright owners remove ${kind.toLowerCase()}/${name}${where} --fields ${quoted(paths[0] ?? '')}`;
  return [`${printable(line)} removes what nobody applies\n`];
}

function describePair({ applier, other, objects }: ManagerPair, paint: Paint): string {
  const title = `${ownerName(applier)} and ${ownerName(other)}: ${counted(objects.length, 'object')}`;
  return [paint('bold', title), ...rowsOf(objects)].join('\n');
}

function rowsOf(objects: readonly SplitObject[]): readonly string[] {
  const rows = objects.map((object) => [printable(nameOf(object)), counted(object.fields, 'field')] as const);
  const width = rows.reduce((most, [name]) => Math.max(most, name.length), 0);
  return rows.map(([name, fields], index) => {
    const [example = ''] = objects[index]?.paths ?? [];
    return `  ${name.padEnd(width)}   ${fields}, such as ${printable(example)}`;
  });
}

function summaryOf({ kinds, objects, split }: ScanReport): string {
  return `${split} of ${counted(objects, 'object')} of ${counted(kinds, 'kind')} ${split === 1 ? 'has' : 'have'} split ownership`;
}

function hintOf(pair: ManagerPair | undefined): readonly string[] {
  const [object] = pair?.objects ?? [];
  if (pair === undefined || object === undefined) return [];
  const { kind, namespace, name, record } = object;
  if (record !== undefined)
    return [`kubewright owners plan ${record} shows what keeps what was dropped, and what ends it\n`];
  const where = namespace === undefined ? '' : ` -n ${namespace}`;
  const line = `kubewright owners plan ${kind.toLowerCase()}/${name}${where} --to ${pair.applier.manager}`;
  return [`${printable(line)} shows what ends it\n`];
}

/** For a shell. */
function quoted(text: string): string {
  return /^[\w.-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

function nameOf({ kind, namespace, name }: Pick<SplitObject, 'kind' | 'namespace' | 'name'>): string {
  return `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`;
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
