import type { KubeObject } from '@kubewright/kube';
import { type OperatorCommand, OperatorError } from '@kubewright/operators';
import { applyInstallation } from '../../install/apply-installation.ts';
import { untilWorking } from '../../install/until-working.ts';
import { chooseOperators } from '../../run/run-operators.ts';
import { encodeYaml } from '../encode-yaml.ts';
import { dashboardObjects } from '../../run/dashboards/dashboard-objects.ts';
import { installManifests } from '../../run/install-manifests.ts';
import { prometheusObjects } from '../../run/prometheus-objects.ts';
import type { InstallOptions } from '../../command-options.ts';
import type { Terminal } from '../../terminal.ts';
import { operatorCommand } from './operator-command.ts';

/** `kubewright install`: the manifests of the operators and their manager, as YAML; with `--apply`, on a cluster. */
export async function install(options: InstallOptions, terminal: Terminal): Promise<void> {
  const objects = await manifestsOf(options);
  if (options.apply === true) return apply(objects, options, terminal);
  const [flag] = APPLY_ONLY.find(([, name]) => options[name] !== undefined) ?? [];
  if (flag !== undefined) throw new OperatorError('Usage', `${flag} is about what --apply writes: add that`);
  terminal.out(objects.map((object) => encodeYaml(object)).join('---\n'));
}

const APPLY_ONLY = [
  ['--output', 'output'],
  ['--dry-run', 'dryRun'],
  ['--force-conflicts', 'forceConflicts'],
] as const;

async function manifestsOf(options: InstallOptions): Promise<readonly KubeObject[]> {
  const operators = await Promise.all(
    chooseOperators(options.operators).map(async (operator) => ({
      ...(await operator.load()),
      name: operator.name,
    })),
  );
  return [
    ...installManifests(operators, options),
    ...(options.prometheus === true ? prometheusObjects(operators, options) : []),
    ...(options.dashboards === true ? dashboardObjects(operators, options) : []),
  ];
}

async function apply(
  objects: readonly KubeObject[],
  options: InstallOptions,
  terminal: Terminal,
): Promise<void> {
  const { namespace, kubeconfig, context, output, dryRun, forceConflicts = false, timeout } = options;
  const command: OperatorCommand = {
    name: 'install',
    summary: '',
    writes: 'objects',
    leaves: 'what was applied is there: run it again',
    async run(call, connect) {
      const stage = await connect();
      await applyInstallation(stage, objects, forceConflicts);
      const { out } = call.terminal;
      out(`${objects.length} objects are applied\n`);
      if (stage.dryRun !== undefined) return;
      const { client, signal, progress } = stage;
      const replicas = await untilWorking(client, objects, { signal, progress, timeoutMs: timeout * 1000 });
      out(`${replicas} replicas of the manager are ready\n`);
      terminal.err(`next: kubewright doctor${namespace === 'kubewright' ? '' : ` -n ${namespace}`}\n`);
    },
  };
  const call = { args: [], options: { namespace, kubeconfig, context, output, dryRun } };
  await operatorCommand(command, call, terminal);
}
