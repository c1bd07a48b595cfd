import { ignoreNotFound, systemClock } from '@kubewright/client';
import { appsv1, corev1 } from '@kubewright/kube';
import { findingsFrom, readOr } from '../../../kit/findings-from.ts';
import type { CommandCall, CommandStage } from '../../../kit/operator.ts';
import { type Finding, reportFindings } from '../../../kit/report-findings.ts';
import { OperatorError } from '../../../operator-error.ts';
import { LABELS } from '../../api.ts';
import { findClass } from '../../explain/find-class.ts';
import { KNATIVE_SERVICES } from '../../knative-api.ts';
import { prometheus } from '../../load/prometheus.ts';
import { functionTargets } from '../../load/function-targets.ts';
import { failedRead, readLoads } from '../../load/read-load.ts';
import { sourceOptions } from '../../load/source-options.ts';
import { readSettings, type Settings, settingsFor } from '../../settings.ts';
import { render } from '../../templates/render.ts';
import { checkLoad } from './check-load.ts';
import { checkSettings, MANAGERS } from './check-settings.ts';

/** `kubewright class doctor NAME`: what a source of metrics has of a class, by the operator's queries. Throws if a check fails. */
export async function runClassDoctor(
  { args: [name = ''], options }: CommandCall,
  connect: () => Promise<CommandStage>,
): Promise<void> {
  const settings = settingsOf(options);
  const source = sourceOptions(settings);
  if (source === undefined)
    throw new OperatorError(
      'Usage',
      'name the source with --prometheus, as the operator reaches it or by a port-forward',
    );
  const queried = prometheus({ ...source, clock: systemClock });
  const stage = await connect();
  const { client, namespace, signal } = stage;
  const runtime = await findClass(client, namespace, name);
  const [{ items: pods }, knative, managers] = await Promise.all([
    client.list(corev1.pods, { namespace, labelSelector: `${LABELS.owner}=${name}` }),
    ignoreNotFound(client.list(KNATIVE_SERVICES, { namespace, limit: 1 })),
    readOr(client.list(appsv1.deployments, MANAGERS)),
  ]);
  const own = settingsFor(settings, runtime);
  const rendered = render(runtime, own, { hasKnative: knative !== undefined });
  if ('error' in rendered)
    throw new OperatorError('Failed', `the class cannot be rendered: ${rendered.error}`);
  const targets = functionTargets(rendered, { namespace, pods, settings: own, now: systemClock.now() });
  const outcomes = await readLoads(queried, targets, signal);
  const requirements = runtime.spec.nfr_requirements ?? {};
  const findings = targets.flatMap(({ key, target }, index): readonly Finding[] => {
    const outcome = outcomes[index] ?? {};
    if ('error' in outcome)
      return [{ check: 'source', status: 'failed', what: failedRead(outcome.error).message }];
    return checkLoad({ key, pods: target.pods.length, requirements }, outcome);
  });
  const unread = findingsFrom('settings', managers, ({ items }) => checkSettings(process.env, items));
  reportFindings(stage, once([...findings, ...unread]));
}

function settingsOf(options: CommandCall['options']): Settings {
  return readSettings({
    OPRC_CRM_PROM_URL: options['prometheus'],
    OPRC_CRM_PROM_TOKEN_FILE: options['tokenFile'],
    OPRC_CRM_PROM_TENANT_FILE: options['tenantFile'],
    OPRC_CRM_PROM_CA_FILE: options['caFile'],
    OPRC_CRM_PROM_RANGE: options['range'],
    OPRC_CRM_METRICS_DIALECT: options['dialect'],
  });
}

/** What keeps the source from being queried is the same for all functions. */
function once(findings: readonly Finding[]): readonly Finding[] {
  const seen = new Set<string>();
  return findings.filter((one) => {
    const text = JSON.stringify(one);
    const isNew = !seen.has(text);
    seen.add(text);
    return isNew;
  });
}
