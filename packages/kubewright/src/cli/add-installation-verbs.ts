import type { OperatorCommand } from '@kubewright/operators/list';
import type { Command } from 'commander';
import type { Terminal } from '../terminal.ts';
import { addVerb } from './add-operator-verbs.ts';

const namespaceDefault = 'default "kubewright"';

/** The code of each is loaded when it runs. */
const VERBS: readonly OperatorCommand[] = [
  {
    name: 'doctor',
    summary: 'check the whole installation: versions, rights, webhooks, leaders, health',
    namespaceDefault,
    hasOutput: true,
    examples: [['doctor', 'what keeps the operators from working, and what to do next']],
    run: async (...call) => (await import('../doctor/run-doctor.ts')).runDoctor(...call),
  },
  {
    name: 'version',
    summary: 'print the versions of this program, of the server and of the managers',
    options: { '--client': { help: 'only that of this program' } },
    hasOutput: true,
    run: async (...call) => (await import('../doctor/run-version.ts')).runVersion(...call),
  },
  {
    name: 'uninstall',
    writes: 'own',
    summary: 'print what an installation has left to delete; with --yes, delete it',
    namespaceDefault,
    options: {
      '--yes': { help: 'delete it' },
      '--keep-crds': { help: 'keep CustomResourceDefinitions, and so all checkpoints and requests' },
      '--timeout <seconds>': {
        help: 'how long operators have to release the objects of a kind',
        default: '60',
      },
    },
    hasOutput: true,
    leaves: 'what was not deleted yet is there: run it again',
    run: async (...call) => (await import('../uninstall/run-uninstall.ts')).runUninstall(...call),
  },
];

export const INSTALLATION_VERBS: readonly string[] = VERBS.map(({ name }) => name);

/** What is done with an installation as a whole. */
export function addInstallationVerbs(program: Command, terminal: Terminal): void {
  for (const verb of VERBS) addVerb(program, '', verb, terminal);
}
