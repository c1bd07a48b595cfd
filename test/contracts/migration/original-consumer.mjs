// An application of the original system in a container of a worker. What a checkpoint has of it is its memory. Such a container
// has no /etc/hostname of its own: the name of the pod stands for it.
import { setTimeout as sleep } from 'node:timers/promises';
import { container } from '@kubewright/cluster/container';
import { runOriginalApplication } from './original-application.mjs';

const { pod, restored, onCheckpoint, onTerminate } = container();
const RECONNECT_MS = 3000;

const state = {
  applied: restored?.applied ?? [],
  replay: restored?.replay,
  isWaiting: restored === undefined && process.env.MS2M_RESTORE_MODE === 'true',
};
onCheckpoint(() => ({ applied: state.applied, replay: state.replay }));
onTerminate(() => process.exit(0));
for (const message of state.applied) console.log(JSON.stringify(message));

// Its connection was cut by the checkpoint.
if (restored !== undefined) await sleep(RECONNECT_MS);
await runOriginalApplication(state, () => pod.name);
