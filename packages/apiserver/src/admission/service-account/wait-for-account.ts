import type { Clock } from '@kubewright/kube';
import type { Collection } from '../../storage/collection.ts';

/** As long as kube-apiserver does, which looks ten times, 100 to 200 ms apart. */
const WAIT_MS = 1500;

/** Resolves when something happens to the account, which a controller is about to make, or enough time has passed. */
export function waitForAccount(accounts: Collection, key: string, clock: Clock): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      cancel();
      unsubscribe();
      resolve();
    };
    const cancel = clock.after(WAIT_MS, end, { background: true });
    const unsubscribe = accounts.subscribe(({ object }) => {
      if (object.key === key) end();
    });
  });
}
