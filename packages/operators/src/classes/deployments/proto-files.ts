import protobuf from 'protobufjs';
import { commonProto } from './protos/common-proto.ts';
import { deploymentProto } from './protos/deployment-proto.ts';
import { deploymentTypesProto } from './protos/deployment-types-proto.ts';
import { healthProto } from './protos/health-proto.ts';
import { reflectionProto } from './protos/reflection-proto.ts';
import { runtimeProto } from './protos/runtime-proto.ts';

/** One file of the API: its name, the names that it imports, and what it declares. */
export type ProtoFile = {
  readonly name: string;
  readonly imports: readonly string[];
  readonly package: string;
  readonly declared: readonly protobuf.ReflectionObject[];
};

const TEXTS: readonly (readonly [name: string, text: string])[] = [
  ['common.proto', commonProto],
  ['deployment_types.proto', deploymentTypesProto],
  ['runtime.proto', runtimeProto],
  ['deployment.proto', deploymentProto],
  ['health.proto', healthProto],
  ['grpc/reflection/v1/reflection.proto', reflectionProto('v1')],
  ['grpc/reflection/v1alpha/reflection.proto', reflectionProto('v1alpha')],
];

/** The API's files, parsed. */
export function protoFiles(): { readonly root: protobuf.Root; readonly files: readonly ProtoFile[] } {
  const root = new protobuf.Root();
  const known = new Set<protobuf.ReflectionObject>();
  const files = TEXTS.map(([name, text]) => {
    const parsed = protobuf.parse(text, root, { keepCase: true });
    const package_ = parsed.package ?? '';
    const declared = root.lookup(package_, protobuf.Namespace);
    const nested = declared instanceof protobuf.Namespace ? declared.nestedArray : [];
    const own = nested.filter((each) => !isPackage(each) && !known.has(each));
    for (const each of own) known.add(each);
    return { name, imports: parsed.imports ?? [], package: package_, declared: own };
  });
  root.resolveAll();
  return { root, files };
}

function isPackage(object: protobuf.ReflectionObject): boolean {
  return !(
    object instanceof protobuf.Type ||
    object instanceof protobuf.Enum ||
    object instanceof protobuf.Service
  );
}
