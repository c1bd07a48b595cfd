import type { Client } from '@kubewright/client';
import { defined } from '@kubewright/kube';
import { waitForObject } from '@kubewright/runtime';
import type { CommandCall, CommandStage } from '../../kit/operator.ts';
import { parseDuration } from '../../kit/parse-duration.ts';
import { printable } from '../../kit/paint.ts';
import { OperatorError } from '../../operator-error.ts';
import { CLASS_RUNTIMES, type ClassRuntime, type ClassRuntimeConfiguration } from '../api.ts';
import { titleOf } from '../decide/observed-class.ts';
import { readSettings } from '../settings.ts';
import { render } from '../templates/render.ts';
import { readManifests } from './read-manifests.ts';

/** The field manager of what people deploy with this command. */
const DEPLOYER = 'kubewright';

/**
 * `kubewright class deploy -f FILE`: applies classes once the server accepts all of them and each can be rendered, and
 * waits until they are available. Fails when one is degraded, or the time is over.
 */
export async function deployClass(
  { options }: CommandCall,
  connect: () => Promise<CommandStage>,
): Promise<void> {
  const { filename, timeout = '5m', dryRun } = options;
  if (filename === undefined) throw new OperatorError('Usage', 'name a file with -f; - is standard input');
  const timeoutMs = parseDuration(timeout);
  if (timeoutMs === undefined)
    throw new OperatorError('Usage', `--timeout "${timeout}" is not a duration; write it like 90s or 5m`);
  const stage = await connect();
  const wanted = await readManifests(filename, stage);
  const plans: string[] = [];
  for (const manifest of wanted) plans.push(await planOf(stage.client, manifest));
  if (dryRun !== undefined) {
    stage.print({ json: plans, text: () => printable(plans.join('')) });
    return;
  }
  for (const manifest of wanted) await apply(stage.client, manifest, false);
  const deployed: string[] = [];
  for (const manifest of wanted) deployed.push(await settle(stage, manifest, timeoutMs));
  stage.print({
    json: deployed,
    text: () => printable(`${deployed.join('\n')}\n`),
  });
}

function apply(client: Client, manifest: ClassRuntimeConfiguration, dryRun: boolean): Promise<ClassRuntime> {
  return client.apply(CLASS_RUNTIMES, manifest, { fieldManager: DEPLOYER, dryRun });
}

/** The objects that the operator would apply, with its default settings. */
async function planOf(client: Client, manifest: ClassRuntimeConfiguration): Promise<string> {
  const runtime = await apply(client, manifest, true);
  const { name, namespace } = runtime.metadata;
  const rendered = render(runtime, readSettings({}));
  if ('error' in rendered) throw new OperatorError('Usage', `ClassRuntime ${name}: ${rendered.error}`);
  const objects = rendered.objects.map((object) => `  ${titleOf(object)}\n`);
  return `ClassRuntime ${name} in ${namespace}, by the template ${rendered.template}:\n${objects.join('')}`;
}

/** Waits for the generation that was just applied. */
async function settle(
  { client, signal, progress }: CommandStage,
  { metadata }: ClassRuntimeConfiguration,
  timeoutMs: number,
): Promise<string> {
  const { name = '', namespace } = metadata;
  const key = { name, ...defined({ namespace }) };
  const found = await waitForObject(
    client,
    CLASS_RUNTIMES,
    key,
    (live) => {
      if (live === undefined) return true;
      const { phase = 'pending', message = '', observed_generation } = live.status ?? {};
      progress(`ClassRuntime ${name}: ${phase}, ${message}`);
      return observed_generation === live.metadata.generation && ['available', 'degraded'].includes(phase);
    },
    { signal, timeoutMs },
  ).catch((error: unknown) => {
    if (!signal.aborted) throw error;
    const message = `interrupted: ClassRuntime ${name} is applied, and the operator goes on with it`;
    throw new OperatorError('Failed', printable(message), { cause: error });
  });
  const { phase, message = '', lifecycle } = found?.status ?? {};
  if (phase === 'available') return `ClassRuntime ${name} in ${namespace} is available: ${message}`;
  const why = found === undefined ? 'was deleted' : `is degraded: ${lifecycle?.reason}: ${message}`;
  throw new OperatorError('Failed', printable(`ClassRuntime ${name} in ${namespace} ${why}`));
}
