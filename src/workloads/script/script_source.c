/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "workloads/script/script_source.h"

#include <lauxlib.h>
#include <libgen.h>
#include <limits.h>
#include <lualib.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/outfile.h"
#include "base/util.h"

#define SCRIPT_BYTES_MAX ((size_t)64 << 20)

static bool is_file(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && !S_ISDIR(st.st_mode);
}

/* If the bundled scripts are in the folder `relative` to the folder of the program, sets *folder to
 * it and returns true. */
static bool scripts_beside_program(const char *relative, char *folder, size_t bytes)
{
    char program[PATH_MAX], probe[PATH_MAX + 32];
    ssize_t n = readlink("/proc/self/exe", program, sizeof(program) - 1);
    if (n < 0)
        return false;
    program[n] = '\0';
    int length = snprintf(folder, bytes, "%s/%s", dirname(program), relative);
    if (length < 0 || (size_t)length >= bytes)
        return false;
    snprintf(probe, sizeof(probe), "%s/oltp_common.lua", folder);
    return is_file(probe);
}

/* Returns the folder of the bundled scripts: in the build folder, in an installed tree that was
 * moved, or as installed. */
static const char *script_folder(char *folder, size_t bytes)
{
    if (scripts_beside_program("lua", folder, bytes) ||
        scripts_beside_program("../share/sysrate", folder, bytes))
        return folder;
    return SCRIPT_DIR;
}

void script_source_add_folder(lua_State *lua, const char *folder)
{
    lua_getglobal(lua, "package");
    lua_getfield(lua, -1, "path");
    lua_pushfstring(lua, "%s;%s/?.lua;%s/?", lua_tostring(lua, -1), folder, folder);
    lua_setfield(lua, -3, "path");
    lua_pop(lua, 2);
}

/* Returns the file that Lua finds for the module `name`: package.searchpath(name, package.path).
 * Returns NULL if there is no such file. */
static char *find_module_file(const char *name, const char *folder)
{
    lua_State *lua = checked_alloc(luaL_newstate());
    luaL_openlibs(lua);
    script_source_add_folder(lua, folder);
    lua_getglobal(lua, "package");
    lua_getfield(lua, -1, "searchpath");
    lua_pushstring(lua, name);
    lua_getfield(lua, -3, "path");
    lua_call(lua, 2, 1);
    char *path = lua_isstring(lua, -1) ? xstrdup(lua_tostring(lua, -1)) : NULL;
    lua_close(lua);
    if (path != NULL && !is_file(path)) {
        free(path);
        return NULL;
    }
    return path;
}

/* Replaces a first line that starts with '#'. Lua does this only when it loads a file itself. */
static void blank_shebang(struct script_source *source)
{
    if (source->text_bytes > 0 && source->text[0] == '#')
        for (size_t i = 0; i < source->text_bytes && source->text[i] != '\n'; i++)
            source->text[i] = ' ';
}

/* `name` is the script's name in messages. */
static int read_text(struct script_source *source, FILE *file, const char *name)
{
    size_t room = 0;
    do {
        room += 65536;
        source->text = xrealloc(source->text, room);
        source->text_bytes +=
            fread(source->text + source->text_bytes, 1, room - source->text_bytes, file);
    } while (source->text_bytes == room && room <= SCRIPT_BYTES_MAX);
    if (ferror(file))
        log_errno(LOG_FATAL, "cannot read the script from %s", name);
    else if (source->text_bytes > SCRIPT_BYTES_MAX)
        log_text(LOG_FATAL, "cannot read the script from %s: it is longer than %zu MiB", name,
                 SCRIPT_BYTES_MAX >> 20);
    else
        return 0;
    return -1;
}

static int read_standard_input(struct script_source *source, bool asked)
{
    if (isatty(STDIN_FILENO))
        log_bare("reading the script from standard input (Ctrl-D ends)");
    if (read_text(source, stdin, "standard input") != 0)
        return -1;
    blank_shebang(source);
    /* As in sysbench, an empty script is a script that does nothing. */
    if (source->text_bytes == 0 && !asked && source->gives_advice)
        log_bare("No test was named, and no script came from standard input: see '%s --help'",
                 source->tool_name);
    return 0;
}

/* Opening some devices has effects, so the type of the file is checked before. */
static FILE *open_file(const char *path)
{
    struct stat st;
    if (stat(path, &st) == 0 && (S_ISCHR(st.st_mode) || S_ISBLK(st.st_mode))) {
        log_text(LOG_FATAL, "cannot read the script from %s: it is a device", path);
        return NULL;
    }
    FILE *file = fopen(path, "r");
    if (file == NULL)
        log_errno(LOG_FATAL, "cannot open %s", path);
    return file;
}

static int read_file(struct script_source *source)
{
    FILE *file = open_file(source->path);
    if (file == NULL)
        return -1;
    int rc = read_text(source, file, source->path);
    fclose(file);
    blank_shebang(source);
    outfile_protect(source->path, "the script");
    return rc;
}

char *script_source_bundled(void)
{
    char room[PATH_MAX];
    return xstrdup(script_folder(room, sizeof(room)));
}

/* A file in the current folder, or a module in LUA_PATH, may have the name of a bundled test. The
 * path of a file in the current folder then begins with "./", so that messages show it. */
static void find_hidden(struct script_source *source)
{
    char *bundled = NULL, *own = NULL;
    if (asprintf(&bundled, "%s/%s.lua", source->folder, source->test) < 0)
        checked_alloc(NULL);
    if (strchr(source->test, '/') == NULL && strcmp(source->path, bundled) != 0 && is_file(bundled))
        source->hidden = bundled;
    else
        free(bundled);
    if (source->hidden == NULL || strchr(source->path, '/') != NULL)
        return;
    if (asprintf(&own, "./%s", source->path) < 0)
        checked_alloc(NULL);
    free(source->path);
    source->path = own;
}

void script_source_tell_hidden(const struct script_source *source)
{
    if (source->hidden != NULL)
        log_bare("The test '%s' is the file %s here. To run the bundled test, rename this file, or "
                 "give the path of the test: %s",
                 source->test, source->path, source->hidden);
}

/* Returns the path of the file of a test, which the caller frees, or NULL. */
static char *find_test(const char *test, const char *folder)
{
    return is_file(test) ? xstrdup(test) : find_module_file(test, folder);
}

bool script_source_exists(const char *test)
{
    char *folder = script_source_bundled();
    char *path = find_test(test, folder);
    const bool exists = strcmp(test, "-") == 0 || path != NULL;
    free(path);
    free(folder);
    return exists;
}

int script_source_init(struct script_source *source, const char *test)
{
    source->test = test == NULL ? "-" : test;
    source->folder = script_source_bundled();
    if (strcmp(source->test, "-") == 0)
        return read_standard_input(source, test != NULL);
    source->path = find_test(test, source->folder);
    if (source->path != NULL) {
        find_hidden(source);
        return read_file(source);
    }
    log_text(LOG_FATAL, "Cannot find benchmark '%s': no such built-in test, file or module", test);
    return -1;
}

void script_source_fini(struct script_source *source)
{
    free(source->folder);
    free(source->path);
    free(source->hidden);
    free(source->text);
}
