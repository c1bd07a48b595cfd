import { chooseOperators } from '../../run/run-operators.ts';
import { encodeYaml } from '../encode-yaml.ts';
import { installManifests } from '../../run/install-manifests.ts';
import { prometheusObjects } from '../../run/prometheus-objects.ts';
import type { InstallOptions } from '../../command-options.ts';
import type { Terminal } from '../../terminal.ts';

/** `kubewright install`: the manifests of the operators and their manager, as YAML. */
export async function install(options: InstallOptions, { out }: Terminal): Promise<void> {
  const operators = await Promise.all(
    chooseOperators(options.operators).map(async (operator) => ({
      ...(await operator.load()),
      name: operator.name,
    })),
  );
  const objects = [
    ...installManifests(operators, options),
    ...(options.prometheus === true ? prometheusObjects(operators, options) : []),
  ];
  out(objects.map((object) => encodeYaml(object)).join('---\n'));
}
