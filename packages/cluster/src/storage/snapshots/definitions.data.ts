/** The CustomResourceDefinitions of external-snapshotter's v1, without descriptions. */
export const SNAPSHOT_DEFINITIONS = [
  {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: {
      annotations: {
        'api-approved.kubernetes.io': 'https://github.com/kubernetes-csi/external-snapshotter/pull/814',
      },
      name: 'volumesnapshotclasses.snapshot.storage.k8s.io',
    },
    spec: {
      group: 'snapshot.storage.k8s.io',
      names: {
        kind: 'VolumeSnapshotClass',
        listKind: 'VolumeSnapshotClassList',
        plural: 'volumesnapshotclasses',
        shortNames: ['vsclass', 'vsclasses'],
        singular: 'volumesnapshotclass',
      },
      scope: 'Cluster',
      versions: [
        {
          additionalPrinterColumns: [
            {
              jsonPath: '.driver',
              name: 'Driver',
              type: 'string',
            },
            {
              jsonPath: '.deletionPolicy',
              name: 'DeletionPolicy',
              type: 'string',
            },
            {
              jsonPath: '.metadata.creationTimestamp',
              name: 'Age',
              type: 'date',
            },
          ],
          name: 'v1',
          schema: {
            openAPIV3Schema: {
              properties: {
                apiVersion: {
                  type: 'string',
                },
                deletionPolicy: {
                  enum: ['Delete', 'Retain'],
                  type: 'string',
                },
                driver: {
                  type: 'string',
                },
                kind: {
                  type: 'string',
                },
                metadata: {
                  type: 'object',
                },
                parameters: {
                  additionalProperties: {
                    type: 'string',
                  },
                  type: 'object',
                },
              },
              required: ['deletionPolicy', 'driver'],
              type: 'object',
            },
          },
          served: true,
          storage: true,
          subresources: {},
        },
      ],
    },
  },
  {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: {
      annotations: {
        'api-approved.kubernetes.io': 'https://github.com/kubernetes-csi/external-snapshotter/pull/955',
      },
      name: 'volumesnapshotcontents.snapshot.storage.k8s.io',
    },
    spec: {
      group: 'snapshot.storage.k8s.io',
      names: {
        kind: 'VolumeSnapshotContent',
        listKind: 'VolumeSnapshotContentList',
        plural: 'volumesnapshotcontents',
        shortNames: ['vsc', 'vscs'],
        singular: 'volumesnapshotcontent',
      },
      scope: 'Cluster',
      versions: [
        {
          additionalPrinterColumns: [
            {
              jsonPath: '.status.readyToUse',
              name: 'ReadyToUse',
              type: 'boolean',
            },
            {
              jsonPath: '.status.restoreSize',
              name: 'RestoreSize',
              type: 'integer',
            },
            {
              jsonPath: '.spec.deletionPolicy',
              name: 'DeletionPolicy',
              type: 'string',
            },
            {
              jsonPath: '.spec.driver',
              name: 'Driver',
              type: 'string',
            },
            {
              jsonPath: '.spec.volumeSnapshotClassName',
              name: 'VolumeSnapshotClass',
              type: 'string',
            },
            {
              jsonPath: '.spec.volumeSnapshotRef.name',
              name: 'VolumeSnapshot',
              type: 'string',
            },
            {
              jsonPath: '.spec.volumeSnapshotRef.namespace',
              name: 'VolumeSnapshotNamespace',
              type: 'string',
            },
            {
              jsonPath: '.metadata.creationTimestamp',
              name: 'Age',
              type: 'date',
            },
          ],
          name: 'v1',
          schema: {
            openAPIV3Schema: {
              properties: {
                apiVersion: {
                  type: 'string',
                },
                kind: {
                  type: 'string',
                },
                metadata: {
                  type: 'object',
                },
                spec: {
                  properties: {
                    deletionPolicy: {
                      enum: ['Delete', 'Retain'],
                      type: 'string',
                    },
                    driver: {
                      type: 'string',
                    },
                    source: {
                      properties: {
                        snapshotHandle: {
                          type: 'string',
                          'x-kubernetes-validations': [
                            {
                              message: 'snapshotHandle is immutable',
                              rule: 'self == oldSelf',
                            },
                          ],
                        },
                        volumeHandle: {
                          type: 'string',
                          'x-kubernetes-validations': [
                            {
                              message: 'volumeHandle is immutable',
                              rule: 'self == oldSelf',
                            },
                          ],
                        },
                      },
                      type: 'object',
                      'x-kubernetes-validations': [
                        {
                          message: 'volumeHandle is required once set',
                          rule: '!has(oldSelf.volumeHandle) || has(self.volumeHandle)',
                        },
                        {
                          message: 'snapshotHandle is required once set',
                          rule: '!has(oldSelf.snapshotHandle) || has(self.snapshotHandle)',
                        },
                        {
                          message: 'exactly one of volumeHandle and snapshotHandle must be set',
                          rule: '(has(self.volumeHandle) && !has(self.snapshotHandle)) || (!has(self.volumeHandle) && has(self.snapshotHandle))',
                        },
                      ],
                    },
                    sourceVolumeMode: {
                      type: 'string',
                      'x-kubernetes-validations': [
                        {
                          message: 'sourceVolumeMode is immutable',
                          rule: 'self == oldSelf',
                        },
                      ],
                    },
                    volumeSnapshotClassName: {
                      type: 'string',
                    },
                    volumeSnapshotRef: {
                      properties: {
                        apiVersion: {
                          type: 'string',
                        },
                        fieldPath: {
                          type: 'string',
                        },
                        kind: {
                          type: 'string',
                        },
                        name: {
                          type: 'string',
                        },
                        namespace: {
                          type: 'string',
                        },
                        resourceVersion: {
                          type: 'string',
                        },
                        uid: {
                          type: 'string',
                        },
                      },
                      type: 'object',
                      'x-kubernetes-map-type': 'atomic',
                      'x-kubernetes-validations': [
                        {
                          message:
                            'both spec.volumeSnapshotRef.name and spec.volumeSnapshotRef.namespace must be set',
                          rule: 'has(self.name) && has(self.__namespace__)',
                        },
                      ],
                    },
                  },
                  required: ['deletionPolicy', 'driver', 'source', 'volumeSnapshotRef'],
                  type: 'object',
                  'x-kubernetes-validations': [
                    {
                      message: 'sourceVolumeMode is required once set',
                      rule: '!has(oldSelf.sourceVolumeMode) || has(self.sourceVolumeMode)',
                    },
                  ],
                },
                status: {
                  properties: {
                    creationTime: {
                      format: 'int64',
                      type: 'integer',
                    },
                    error: {
                      properties: {
                        message: {
                          type: 'string',
                        },
                        time: {
                          format: 'date-time',
                          type: 'string',
                        },
                      },
                      type: 'object',
                    },
                    readyToUse: {
                      type: 'boolean',
                    },
                    restoreSize: {
                      format: 'int64',
                      minimum: 0,
                      type: 'integer',
                    },
                    snapshotHandle: {
                      type: 'string',
                    },
                    volumeGroupSnapshotHandle: {
                      type: 'string',
                    },
                  },
                  type: 'object',
                },
              },
              required: ['spec'],
              type: 'object',
            },
          },
          served: true,
          storage: true,
          subresources: {
            status: {},
          },
        },
      ],
    },
  },
  {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: {
      annotations: {
        'api-approved.kubernetes.io': 'https://github.com/kubernetes-csi/external-snapshotter/pull/814',
      },
      name: 'volumesnapshots.snapshot.storage.k8s.io',
    },
    spec: {
      group: 'snapshot.storage.k8s.io',
      names: {
        kind: 'VolumeSnapshot',
        listKind: 'VolumeSnapshotList',
        plural: 'volumesnapshots',
        shortNames: ['vs'],
        singular: 'volumesnapshot',
      },
      scope: 'Namespaced',
      versions: [
        {
          additionalPrinterColumns: [
            {
              jsonPath: '.status.readyToUse',
              name: 'ReadyToUse',
              type: 'boolean',
            },
            {
              jsonPath: '.spec.source.persistentVolumeClaimName',
              name: 'SourcePVC',
              type: 'string',
            },
            {
              jsonPath: '.spec.source.volumeSnapshotContentName',
              name: 'SourceSnapshotContent',
              type: 'string',
            },
            {
              jsonPath: '.status.restoreSize',
              name: 'RestoreSize',
              type: 'string',
            },
            {
              jsonPath: '.spec.volumeSnapshotClassName',
              name: 'SnapshotClass',
              type: 'string',
            },
            {
              jsonPath: '.status.boundVolumeSnapshotContentName',
              name: 'SnapshotContent',
              type: 'string',
            },
            {
              jsonPath: '.status.creationTime',
              name: 'CreationTime',
              type: 'date',
            },
            {
              jsonPath: '.metadata.creationTimestamp',
              name: 'Age',
              type: 'date',
            },
          ],
          name: 'v1',
          schema: {
            openAPIV3Schema: {
              properties: {
                apiVersion: {
                  type: 'string',
                },
                kind: {
                  type: 'string',
                },
                metadata: {
                  type: 'object',
                },
                spec: {
                  properties: {
                    source: {
                      properties: {
                        persistentVolumeClaimName: {
                          type: 'string',
                          'x-kubernetes-validations': [
                            {
                              message: 'persistentVolumeClaimName is immutable',
                              rule: 'self == oldSelf',
                            },
                          ],
                        },
                        volumeSnapshotContentName: {
                          type: 'string',
                          'x-kubernetes-validations': [
                            {
                              message: 'volumeSnapshotContentName is immutable',
                              rule: 'self == oldSelf',
                            },
                          ],
                        },
                      },
                      type: 'object',
                      'x-kubernetes-validations': [
                        {
                          message: 'persistentVolumeClaimName is required once set',
                          rule: '!has(oldSelf.persistentVolumeClaimName) || has(self.persistentVolumeClaimName)',
                        },
                        {
                          message: 'volumeSnapshotContentName is required once set',
                          rule: '!has(oldSelf.volumeSnapshotContentName) || has(self.volumeSnapshotContentName)',
                        },
                        {
                          message:
                            'exactly one of volumeSnapshotContentName and persistentVolumeClaimName must be set',
                          rule: '(has(self.volumeSnapshotContentName) && !has(self.persistentVolumeClaimName)) || (!has(self.volumeSnapshotContentName) && has(self.persistentVolumeClaimName))',
                        },
                      ],
                    },
                    volumeSnapshotClassName: {
                      type: 'string',
                      'x-kubernetes-validations': [
                        {
                          message: 'volumeSnapshotClassName must not be the empty string when set',
                          rule: 'size(self) > 0',
                        },
                      ],
                    },
                  },
                  required: ['source'],
                  type: 'object',
                },
                status: {
                  properties: {
                    boundVolumeSnapshotContentName: {
                      type: 'string',
                    },
                    creationTime: {
                      format: 'date-time',
                      type: 'string',
                    },
                    error: {
                      properties: {
                        message: {
                          type: 'string',
                        },
                        time: {
                          format: 'date-time',
                          type: 'string',
                        },
                      },
                      type: 'object',
                    },
                    readyToUse: {
                      type: 'boolean',
                    },
                    restoreSize: {
                      type: 'string',
                      pattern:
                        '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
                      'x-kubernetes-int-or-string': true,
                    },
                    volumeGroupSnapshotName: {
                      type: 'string',
                    },
                  },
                  type: 'object',
                },
              },
              required: ['spec'],
              type: 'object',
            },
          },
          served: true,
          storage: true,
          subresources: {
            status: {},
          },
        },
      ],
    },
  },
] as const;
