import { sleep } from '@kubewright/client';
import { errorText } from '@kubewright/kube';
import type { Manager, Runnable } from '@kubewright/runtime';
import type { OperatorHealth } from './operator-health.ts';

const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 60_000;

/** The manager that operators share, as one of them sees it: what it adds is its own, and ends nothing else by failing. */
export function operatorManager(manager: Manager, operator: string, health: OperatorHealth): Manager {
  return {
    ...manager,
    as: (client) => operatorManager(manager.as(client), operator, health),
    addController(options) {
      health.own(options.name, operator);
      return manager.addController(options);
    },
    add: (runnable) => manager.add(restarted(runnable, { manager, operator, health })),
  };
}

type Around = { readonly manager: Manager; readonly operator: string; readonly health: OperatorHealth };

/** Starts a runnable again when it has failed, each time later. */
function restarted(runnable: Runnable, { manager: { clock, log }, operator, health }: Around): Runnable {
  return {
    ...runnable,
    async start(signal) {
      for (let wait = FIRST_WAIT_MS; !signal.aborted; wait = Math.min(2 * wait, LONGEST_WAIT_MS)) {
        try {
          await runnable.start(signal);
          return;
        } catch (error) {
          log.error('a part of an operator failed and will be started again', { operator, error });
          health.report(operator, 'a part failed', errorText(error));
        }
        await sleep(clock, wait, signal);
        health.report(operator, 'a part failed', undefined);
      }
    },
  };
}
