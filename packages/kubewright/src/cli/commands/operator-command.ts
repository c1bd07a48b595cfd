import { createClient, discoverResources } from '@kubewright/client';
import type { Transport } from '@kubewright/kube';
import {
  type CommandCall,
  type CommandStage,
  type OperatorCommand,
  paintFor,
  type CommandResult,
} from '@kubewright/operators';
import { printable } from '@kubewright/operators/list';
import { findResource } from '../../discover/find-resource.ts';
import { findSchema } from '../../discover/find-schema.ts';
import { connect, explainApiError } from '../connect.ts';
import { encodeJson, encodeYaml } from '../encode-yaml.ts';
import type { Terminal } from '../../terminal.ts';

/** A command of an operator, on the cluster that its options name. */
export async function operatorCommand(
  command: OperatorCommand,
  { args, options }: CommandCall,
  terminal: Terminal,
): Promise<void> {
  const { kubeconfig, context, namespace, output } = options;
  let transport: Transport | undefined;
  let url = '';
  const progress = (line: string): void => terminal.progress?.(printable(line));
  const openStage = async (): Promise<CommandStage> => {
    const connection = await connect({ kubeconfig, context }, terminal);
    ({ transport, url } = connection);
    return {
      client: createClient(connection.transport),
      out: terminal.out,
      paint: paintFor(terminal.colour),
      signal: terminal.signal,
      discover: () => discoverResources(connection.transport, terminal.signal),
      namespace: namespace ?? connection.namespace,
      findResource: (name) => findResource(name, connection.transport),
      findSchema: (ref) => findSchema(ref, connection.transport),
      progress,
      print(result) {
        progress('');
        terminal.out(encode(result, output));
      },
    };
  };
  // One connection, however often the command asks for it: only one is closed.
  let stage: Promise<CommandStage> | undefined;
  try {
    await command.run({ args, options }, () => (stage ??= openStage()));
  } catch (error) {
    progress('');
    throw explainApiError(error, url);
  } finally {
    await transport?.close();
  }
}

function encode({ json, text }: CommandResult, format: string | undefined): string {
  switch (format) {
    case 'json':
      return encodeJson(json);
    case 'yaml':
      return encodeYaml(json);
    default:
      return text();
  }
}
