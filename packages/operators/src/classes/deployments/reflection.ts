import { fileDescriptor } from './file-descriptor.ts';
import type { ProtoFile } from './proto-files.ts';

type Request = {
  readonly host: string;
  readonly file_by_filename?: string;
  readonly file_containing_symbol?: string;
  readonly list_services?: string;
};

const NOT_FOUND = 5;
const UNIMPLEMENTED = 12;

/** Responds to requests for reflection: which services there are, and the files that declare them. */
export function reflection(
  files: readonly ProtoFile[],
  services: readonly string[],
): (request: Request) => object {
  const respond = ({ file_by_filename, file_containing_symbol, list_services }: Request): object => {
    if (list_services !== undefined)
      return { list_services_response: { service: services.map((name) => ({ name })) } };
    if (file_by_filename !== undefined)
      return fileResponse(
        files,
        files.find(({ name }) => name === file_by_filename),
      );
    if (file_containing_symbol !== undefined)
      return fileResponse(files, fileDeclaring(files, file_containing_symbol));
    return errorResponse(UNIMPLEMENTED, 'there are no extensions');
  };
  return (request) => ({ valid_host: request.host, original_request: request, ...respond(request) });
}

/** A method's name begins with its service's. */
function fileDeclaring(files: readonly ProtoFile[], symbol: string): ProtoFile | undefined {
  return files.find(({ declared }) =>
    declared.some(({ fullName }) => `.${symbol}.`.startsWith(`${fullName}.`)),
  );
}

/** With all that it imports, so that a client need not ask again. */
function fileResponse(files: readonly ProtoFile[], file: ProtoFile | undefined): object {
  if (file === undefined) return errorResponse(NOT_FOUND, 'there is no such file or symbol');
  const all = new Set<ProtoFile>();
  const add = (one: ProtoFile): void => {
    if (all.has(one)) return;
    all.add(one);
    for (const other of files) if (one.imports.includes(other.name)) add(other);
  };
  add(file);
  const file_descriptor_proto = [...all].map((one) => fileDescriptor(one));
  return { file_descriptor_response: { file_descriptor_proto } };
}

function errorResponse(error_code: number, error_message: string): object {
  return { error_response: { error_code, error_message } };
}
