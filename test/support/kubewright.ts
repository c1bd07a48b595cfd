/** The command line from its sources, as a process of its own: `node --import tsx test/support/kubewright.ts`. */
import { main } from '../../packages/kubewright/src/cli/main.ts';

await main(process);
