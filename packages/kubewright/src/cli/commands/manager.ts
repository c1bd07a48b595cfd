import { createClient } from '@kubewright/client';
import { runOperators } from '../../run/run-operators.ts';
import { connect, explainApiError } from '../connect.ts';
import type { ManagerOptions } from '../program.ts';
import type { Terminal } from '../terminal.ts';

/** `kubewright manager`: the operators on a cluster that runs elsewhere, until a signal. */
export async function manager(options: ManagerOptions, terminal: Terminal): Promise<void> {
  const { transport, url } = await connect(options.kubeconfig, terminal);
  try {
    const running = await runOperators(createClient(transport), options.operators, terminal);
    terminal.out(`operators: ${options.operators.join(', ')} on ${url}\nready\n`);
    await running.ended;
  } catch (error) {
    throw explainApiError(error, url);
  } finally {
    await transport.close();
  }
}
