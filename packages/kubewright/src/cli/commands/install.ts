import { stringify } from 'yaml';
import { chooseOperators } from '../../run/run-operators.ts';
import { installManifests } from '../../run/install-manifests.ts';
import type { InstallOptions } from '../program.ts';
import type { Terminal } from '../terminal.ts';

/** Text that YAML 1.1, which kubectl reads, would take for something else (`on`) is quoted. */
const FORMAT = { version: '1.1', lineWidth: 0, aliasDuplicateObjects: false } as const;

/** `kubewright install`: what the operators and their manager are on a cluster, as YAML. */
export async function install(options: InstallOptions, { out }: Terminal): Promise<void> {
  const operators = await Promise.all(chooseOperators(options.operators).map((operator) => operator.load()));
  const objects = installManifests(operators, options);
  out(objects.map((object) => stringify(object, FORMAT)).join('---\n'));
}
