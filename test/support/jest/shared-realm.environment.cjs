const { join } = require('node:path');
const { ModernFakeTimers } = require('@jest/fake-timers');
const { Logger } = require('@nestjs/common');
const { ModuleMocker } = require('jest-mock');

/** A file that its package does not export. */
const inPackage = (file) => require(join(__dirname, '../../../node_modules', file));

/**
 * Where packages keep the classes that they know. The sources of this project are evaluated anew for each spec file, so
 * the classes of the file before would pile up here.
 */
const REGISTRIES = [
  inPackage('class-transformer/cjs/storage.js').defaultMetadataStorage,
  inPackage('@nestjs/core/discovery/discoverable-meta-host-collection.js').DiscoverableMetaHostCollection,
  inPackage('@nestjs/typeorm/dist/entities-metadata.storage.js').EntitiesMetadataStorage,
];

/**
 * Runs the spec files of a worker in one realm, that of Node itself, so that they can share the packages which
 * `shared-packages.runtime.cjs` loads once. Each file has its own modules of this project, and finds the process as it
 * was before the first one: its globals, variables and listeners. TypeORM and class-validator have their registries
 * among the globals.
 */
module.exports = class SharedRealmEnvironment {
  constructor({ projectConfig }) {
    this.before = stateOfProcess();
    this.global = globalThis;
    this.moduleMocker = new ModuleMocker(globalThis);
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: globalThis });
    // The legacy ones: no spec uses them.
    this.fakeTimers = null;
  }

  async setup() {}

  async teardown() {
    this.fakeTimersModern.dispose();
    restore(this.before);
    for (const registry of REGISTRIES) {
      for (const kept of Object.values(registry)) if (kept instanceof Map) kept.clear();
    }
    // Jest still asks whether there is one.
    this.global = null;
  }

  exportConditions() {
    return ['node', 'node-addons'];
  }

  /** Jest only passes it on, to `shared-packages.runtime.cjs`. */
  getVmContext() {
    return this.global;
  }
};

function stateOfProcess() {
  const { exit, getBuiltinModule, env } = process;
  const { staticInstanceRef, logLevels } = Logger;
  return {
    globals: Object.getOwnPropertyDescriptors(globalThis),
    methods: { exit, getBuiltinModule },
    env: { ...env },
    listeners: new Map(process.eventNames().map((name) => [name, process.rawListeners(name)])),
    logger: { staticInstanceRef, logLevels },
  };
}

function restore({ globals, methods, env, listeners, logger }) {
  for (const key of Reflect.ownKeys(globalThis)) {
    if (!(key in globals)) Reflect.deleteProperty(globalThis, key);
  }
  for (const [key, before] of Reflect.ownKeys(globals).map((name) => [name, globals[name]])) {
    const now = Object.getOwnPropertyDescriptor(globalThis, key);
    if (before.configurable && (now?.value !== before.value || now?.get !== before.get)) {
      Object.defineProperty(globalThis, key, before);
    }
  }
  Object.assign(process, methods);
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
  Object.assign(process.env, env);
  for (const name of process.eventNames()) {
    for (const listener of process.rawListeners(name)) {
      if (!listeners.get(name)?.includes(listener)) process.removeListener(name, listener);
    }
  }
  Object.assign(Logger, logger);
}
