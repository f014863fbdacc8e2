const { createRequire } = require('node:module');
const { sep } = require('node:path');
const { pathToFileURL } = require('node:url');
const { compileFunction } = require('node:vm');
const { default: JestRuntime } = require('jest-runtime');

const PACKAGES = `${sep}node_modules${sep}`;

/** The function around each file of this project: each spec file calls it for modules of its own. */
const compiled = new Map();
/** The runtime of the spec file that runs. */
let current;

/**
 * Loads each package once for a worker, by Node itself, and compiles each source file once. Jest's own runtime does both
 * again for each spec file, in a realm of its own: that took more CPU time than the tests. Goes with
 * `shared-realm.environment.cjs`. A spec can spy on a package, but `jest.mock` of a package has no effect.
 */
module.exports = class SharedPackagesRuntime extends JestRuntime {
  constructor(...args) {
    super(...args);
    current = this;
    // No context is Node's own realm.
    this.esmLoader.getContext = () => undefined;
    const { executor, _environment: environment } = this;
    executor.compile = (source, filename) =>
      environment.global && compileOnce(source, filename, executor.injectedModuleParameters);
  }

  requireModule(from, moduleName, options, isRequireActual) {
    if (!options?.isInternalModule && moduleName !== undefined) {
      const path = this.packageFile(from, moduleName);
      if (path !== undefined) return createRequire(from)(path);
    }
    return super.requireModule(from, moduleName, options, isRequireActual);
  }

  /** `import()` in a source file. */
  async importFrom(filename, specifier, attributes) {
    const path = this.packageFile(filename, specifier);
    if (path !== undefined) return import(pathToFileURL(path).href);
    return this.esmLoader.dynamicImportFromCjs(specifier, filename, undefined, attributes);
  }

  /** @returns undefined for a module of this project or of Node */
  packageFile(from, moduleName) {
    if (moduleName.startsWith('.') || this._resolution.isCoreModule(moduleName)) return undefined;
    const path = this._resolution.resolveCjs(from, moduleName);
    return path.includes(PACKAGES) ? path : undefined;
  }
};

function compileOnce(source, filename, parameters) {
  const known = compiled.get(filename);
  if (known?.source === source) return known.wrapper;
  const wrapper = compileFunction(source, parameters, {
    filename,
    importModuleDynamically: (specifier, _function, attributes) => current.importFrom(filename, specifier, attributes),
  });
  compiled.set(filename, { source, wrapper });
  return wrapper;
}
