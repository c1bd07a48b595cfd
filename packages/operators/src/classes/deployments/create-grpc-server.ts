import {
  Metadata,
  Server,
  type sendUnaryData,
  type ServerDuplexStream,
  type ServerUnaryCall,
  type ServerWritableStream,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js';
import { detach } from '@kubewright/kube/serving';
import { callStatus } from './call-status.ts';
import type { Caller, DeploymentCalls } from './deployment-calls.ts';
import { protoFiles } from './proto-files.ts';
import { reflection } from './reflection.ts';
import { serviceDefinition } from './service-definition.ts';

const CORRELATION = 'x-correlation-id';
const REFLECTION = ['grpc.reflection.v1.ServerReflection', 'grpc.reflection.v1alpha.ServerReflection'];
const SERVING = { status: 'SERVING' };

type Failed = (name: string, error: unknown) => void;

/** The gRPC API: deployments, environment health, health and reflection. */
export function createGrpcServer(calls: DeploymentCalls, failed: Failed): Server {
  const { root, files } = protoFiles();
  const { GetEnvHealth, ...deployments } = calls;
  const services: Readonly<Record<string, UntypedServiceImplementation>> = {
    'oaas.deployment.DeploymentService': unaryOf(deployments, failed),
    'oaas.health.CrmInfoService': unaryOf({ GetEnvHealth }, failed),
    'oaas.health.HealthService': { ...unaryOf({ Check: async () => SERVING }, failed), Watch: watchHealth },
  };
  const reflect = reflectOver(reflection(files, [...Object.keys(services), ...REFLECTION]));
  const server = new Server();
  for (const [name, implementation] of Object.entries(services))
    server.addService(serviceDefinition(root.lookupService(name)), implementation);
  for (const name of REFLECTION)
    server.addService(serviceDefinition(root.lookupService(name)), { ServerReflectionInfo: reflect });
  return server;
}

type Handler = (request: never, caller: Caller) => Promise<object>;

function unaryOf(handlers: Readonly<Record<string, Handler>>, failed: Failed): UntypedServiceImplementation {
  return Object.fromEntries(
    Object.entries(handlers).map(([name, handler]) => [
      name,
      (call: ServerUnaryCall<unknown, object>, done: sendUnaryData<object>) =>
        detach(
          () => respond(call, handler, done, (error) => failed(name, error)),
          (error) => failed(name, error),
        ),
    ]),
  );
}

/** A deadline, or a client that has gone, aborts what the handler does. */
async function respond(
  call: ServerUnaryCall<unknown, object>,
  handler: Handler,
  done: sendUnaryData<object>,
  failed: (error: unknown) => void,
): Promise<void> {
  const abort = new AbortController();
  call.on('cancelled', () => abort.abort());
  const [correlation] = call.metadata.get(CORRELATION);
  const correlationId = correlation?.toString();
  const metadata = new Metadata();
  if (correlationId !== undefined) metadata.set(CORRELATION, correlationId);
  call.sendMetadata(metadata);
  try {
    done(null, await handler(call.request as never, { signal: abort.signal, correlationId }));
  } catch (error) {
    if (!abort.signal.aborted) failed(error);
    const { code, message } = callStatus(error);
    done({ code, details: message, metadata: new Metadata() });
  }
}

/** It serves as long as it can be asked. */
function watchHealth(call: ServerWritableStream<object, object>): void {
  call.write(SERVING);
}

function reflectOver(respondTo: ReturnType<typeof reflection>) {
  return (call: ServerDuplexStream<unknown, object>): void => {
    call.on('data', (request: unknown) => call.write(respondTo(request as never)));
    call.on('end', () => call.end());
  };
}
