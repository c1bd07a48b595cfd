/** `health.proto` of the original. */
export const healthProto = `
syntax = "proto3";
package oaas.health;

import "common.proto";

service HealthService {
  rpc Check(HealthCheckRequest) returns (HealthCheckResponse);
  rpc Watch(HealthCheckRequest) returns (stream HealthCheckResponse);
}

message HealthCheckRequest {
  string service = 1;
}

message HealthCheckResponse {
  enum ServingStatus {
    UNKNOWN = 0;
    SERVING = 1;
    NOT_SERVING = 2;
    SERVICE_UNKNOWN = 3;
  }
  ServingStatus status = 1;
}

message CrmEnvRequest {
  string env = 1;
}

message CrmEnvHealth {
  string env_name = 1;
  string status = 2;
  optional string crm_version = 3;

  oaas.common.Timestamp last_seen = 4;
  optional uint32 node_count = 5;
  optional uint32 ready_nodes = 6;

  optional double availability = 7;
  // Additions: how many classes are in each phase, and degraded for each reason.
  map<string, uint32> classes_by_phase = 101;
  map<string, uint32> classes_by_reason = 102;
}

service CrmInfoService {
  rpc GetEnvHealth(CrmEnvRequest) returns (CrmEnvHealth);
}
`;
