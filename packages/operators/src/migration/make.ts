import { appsv1, corev1 } from '@kubewright/kube';
import type { ActOutcome, Io } from '@kubewright/runtime';
import { COMPONENT } from './api.ts';
import type { MigrationAction } from './decide/observed-migration.ts';
import { shadowPod } from './pods/shadow-pod.ts';
import { successorPod } from './pods/successor-pod.ts';
import { templateRevision } from './pods/template-revision.ts';

const TYPES = ['createShadow', 'keepTemplate', 'createSuccessor'] as const;

/** What makes an object that was not there. */
type MakeAction = Extract<MigrationAction, { readonly type: (typeof TYPES)[number] }>;

export function isMaking(action: MigrationAction): action is MakeAction {
  return TYPES.some((type) => type === action.type);
}

const OPTIONS = { fieldManager: COMPONENT };

/** One object; where one of its name is there already, the API server responds with a conflict. */
export async function make(action: MakeAction, { client }: Io): Promise<ActOutcome> {
  const { migration } = action;
  switch (action.type) {
    case 'createShadow': {
      const { targetPod = '' } = migration.status ?? {};
      await client.create(corev1.pods, shadowPod(action.source, migration, targetPod), OPTIONS);
      return 'done';
    }
    case 'keepTemplate':
      await client.create(appsv1.controllerrevisions, templateRevision(migration, action.source), OPTIONS);
      return 'done';
    case 'createSuccessor':
      await client.create(corev1.pods, successorPod(action.template, migration), OPTIONS);
      return 'done';
  }
}
