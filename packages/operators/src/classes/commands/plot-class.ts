import { writeFile } from 'node:fs/promises';
import { systemClock } from '@kubewright/client';
import type { Json } from '@kubewright/kube';
import type { CommandCall, CommandStage } from '../../kit/operator.ts';
import { OperatorError } from '../../operator-error.ts';
import { plotSvg } from '../plot-svg.ts';
import { findClass } from '../explain/find-class.ts';

/** `kubewright class plot NAME`: what was recommended, wanted and applied over time, as SVG. */
export async function plotClass(
  { args: [name = ''], options }: CommandCall,
  connect: () => Promise<CommandStage>,
): Promise<void> {
  const { client, namespace, print } = await connect();
  const { status, metadata } = await findClass(client, namespace, name);
  const details = status?.nfr_details ?? [];
  const wanted = options['function'] ?? details[0]?.function_key;
  const detail = details.find(({ function_key }) => function_key === wanted);
  if (detail?.history === undefined) {
    const what = options['function'] === undefined ? `ClassRuntime "${name}"` : `function "${wanted}"`;
    throw new OperatorError('NotFound', `${what} has no recommendations yet`);
  }
  const { history, function_key } = detail;
  const title = `${metadata.name} in ${metadata.namespace}: replicas of ${function_key}`;
  const svg = plotSvg(title, history, new Date(systemClock.now()));
  const { out } = options;
  if (out !== undefined) await writeFile(out, svg);
  const json = history.map((point) => ({ ...point })) as Json;
  print({ json, text: () => (out === undefined ? svg : `${out}\n`) });
}
