/** `common.proto` of the original. */
export const commonProto = `
syntax = "proto3";
package oaas.common;

enum StatusCode {
  OK = 0;
  ERROR = 1;
  NOT_FOUND = 2;
  INVALID_REQUEST = 3;
  INTERNAL_ERROR = 4;
}

message Timestamp {
  int64 seconds = 1;
  int32 nanos = 2;
}

message ResourceRequirements {
  string cpu_request = 1;
  string memory_request = 2;
  optional string cpu_limit = 3;
  optional string memory_limit = 4;
}

message ProvisionConfig {
  optional string container_image = 1;

  optional string wasm_module_url = 11;

  optional uint32 port = 2;

  uint32 max_concurrency = 3;

  bool need_http2 = 4;

  optional string cpu_request = 5;
  optional string memory_request = 6;
  optional string cpu_limit = 7;
  optional string memory_limit = 8;

  optional uint32 min_scale = 9;
  optional uint32 max_scale = 10;
}

message NfrRequirements {
  optional uint32 min_throughput_rps = 2;
  optional double availability = 3;
  optional double cpu_utilization_target = 4;
}

message TelemetrySpec {
  bool enabled = 1;
  optional bool traces = 2;
  optional bool metrics = 3;
  optional bool logs = 4;
  optional double sampling_rate = 5;
  optional string service_name = 6;
  map<string, string> resource_attributes = 7;
}
`;
