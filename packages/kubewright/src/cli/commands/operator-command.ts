import { createClient } from '@kubewright/client';
import type { Transport } from '@kubewright/kube';
import { type CommandCall, type CommandStage, type OperatorCommand, paintFor } from '@kubewright/operators';
import { findResource } from '../../discover/find-resource.ts';
import { connect, explainApiError } from '../connect.ts';
import type { Terminal } from '../terminal.ts';

/** A command of an operator, on the cluster that its options name. */
export async function operatorCommand(
  command: OperatorCommand,
  { args, options }: CommandCall,
  terminal: Terminal,
): Promise<void> {
  let transport: Transport | undefined;
  let url = '';
  const onStage = async (): Promise<CommandStage> => {
    const connection = await connect(options['kubeconfig'], terminal);
    ({ transport, url } = connection);
    return {
      client: createClient(connection.transport),
      out: terminal.out,
      paint: paintFor(terminal.colour),
      signal: terminal.signal,
      namespace: options['namespace'] ?? connection.namespace,
      findResource: (name) => findResource(name, connection.transport),
    };
  };
  try {
    await command.run({ args, options }, onStage);
  } catch (error) {
    throw explainApiError(error, url);
  } finally {
    await transport?.close();
  }
}
