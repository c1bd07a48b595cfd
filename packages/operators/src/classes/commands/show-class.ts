import type { Json } from '@kubewright/kube';
import type { CommandCall, CommandStage } from '../../kit/operator.ts';
import { type Paint, printable } from '../../kit/paint.ts';
import { textTable } from '../../kit/text-table.ts';
import type { ClassRuntime, ClassRuntimeStatus } from '../api.ts';
import { colourOf } from '../explain/describe-class.ts';
import { findClass } from '../explain/find-class.ts';

/** `kubewright class show NAME`: functions with their addresses and replicas, objects, conditions, what was enforced. */
export async function showClass(
  { args: [name = ''] }: CommandCall,
  connect: () => Promise<CommandStage>,
): Promise<void> {
  const { client, namespace, print, paint } = await connect();
  const runtime = await findClass(client, namespace, name);
  print({ json: jsonOf(runtime), text: () => classText(runtime, paint) });
}

function jsonOf({ metadata, spec, status = {} }: ClassRuntime): Json {
  const { name, namespace, generation } = metadata;
  const shown = { name, namespace, generation, spec, status };
  return JSON.parse(JSON.stringify(shown)) as Json;
}

/** All that a person asks about a class, on one screen. */
export function classText(
  { metadata: { name, namespace }, status = {} }: ClassRuntime,
  paint: Paint,
): string {
  const { phase = 'none', resource_refs = [] } = status;
  const title = paint('bold', printable(`ClassRuntime ${name} in ${namespace}`));
  const lines = [
    `${title}: ${paint(colourOf(phase), phase)}`,
    ...headLines(status).map((line) => printable(`  ${line}`)),
    '',
    textTable([['FUNCTION', 'READY', 'REPLICAS', 'RECOMMENDED', 'DECISION', 'URL'], ...functionRows(status)]),
    textTable([['OBJECT'], ...resource_refs.map(({ kind, name: object }) => [`${kind}/${object}`])]),
    textTable([['CONDITION', 'STATUS', 'SINCE', 'REASON', 'MESSAGE'], ...conditionRows(status)]),
    textTable([['ENFORCED', 'DIMENSION', 'VALUE'], ...appliedRows(status)]),
  ];
  return `${lines.join('\n').trimEnd()}\n`;
}

function headLines({
  message = '',
  lifecycle,
  template,
  routers = [],
}: ClassRuntimeStatus): readonly string[] {
  const chosen = template === undefined ? 'none yet' : `${template.selected}, by ${template.reason}`;
  const names = routers.map(({ service }) => service).join(', ');
  return [
    `${lifecycle?.reason ?? ''}: ${message}`,
    `template: ${chosen}`,
    ...(names === '' ? [] : [`routers: ${names}`]),
  ];
}

type Rows = readonly (readonly string[])[];

function functionRows({ functions = [], nfr_details = [] }: ClassRuntimeStatus): Rows {
  return functions.map(({ function_key, ready, reason = 'no', predicted_url, observed_url }) => {
    const nfr = nfr_details.find((one) => one.function_key === function_key);
    const numbers =
      nfr === undefined ? ['-', '-', '-'] : [`${nfr.current}`, `${nfr.recommended}`, nfr.decision];
    return [function_key, ready === true ? 'yes' : reason, ...numbers, observed_url ?? predicted_url];
  });
}

function conditionRows({ conditions = [] }: ClassRuntimeStatus): Rows {
  return conditions.map(({ type, status, lastTransitionTime, reason, message }) => [
    type,
    status,
    lastTransitionTime,
    reason,
    message.replaceAll('\n', ' '),
  ]);
}

function appliedRows({ last_applied_recommendations: applied = [] }: ClassRuntimeStatus): Rows {
  return applied.map(({ function_key = '-', dimension, target }) => [function_key, dimension, `${target}`]);
}
