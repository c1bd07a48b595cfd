import type { RestoreStep } from './plan-restore.ts';

/**
 * The steps, with those of objects that the server rejects only because another one is not there yet, which the restore
 * creates: a pod needs its ServiceAccount, and who may bind only what they have, a Role.
 */
export function settleRejections(steps: readonly RestoreStep[]): readonly RestoreStep[] {
  const created = new Set(
    steps.filter(({ action }) => action === 'create').map(({ title }) => nameIn(title)),
  );
  return steps.map((step) => {
    const { missing, ...rest } = step;
    if (missing === undefined || !created.has(missing)) return step;
    return { ...rest, action: 'create', message: `not checked: "${missing}" has to be there first` };
  });
}

function nameIn(title: string): string {
  return title.slice(title.indexOf('/') + 1);
}
