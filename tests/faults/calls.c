/* Counts the system calls of this process that change files below a directory, and makes one of them fail.

   arm(root, at, what): the at-th such call is answered with `what`: KILL ends the process before the call, SHORT writes
   only half, any other number is an errno. With at = 0 calls are only counted. A fork inherits what is armed. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

enum { KILL = -1, SHORT = -2 };
static char root[4096];
static int at, what, seen;

void arm(const char *directory, int place, int answer) {
    snprintf(root, sizeof root, "%s", directory);
    at = place, what = answer, seen = 0;
}

int counted(void) { return seen; }

static int is_below(const char *path) { return root[0] && path && strncmp(path, root, strlen(root)) == 0; }

static int is_open_below(int file) {
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = root[0] ? readlink(link, path, sizeof path - 1) : -1;
    if (length < 0) return 0;
    path[length] = 0;
    return is_below(path);
}

/* 0: go on; 1: fail, errno is set; 2: only half of it. */
static int fault(int concerns) {
    if (!concerns || ++seen != at) return 0;
    if (what == KILL) {
        kill(getpid(), SIGKILL);
        pause();
    }
    if (what == SHORT) return 2;
    errno = what;
    return 1;
}

#define NEXT(type, name, ...) type (*next)(__VA_ARGS__) = (type (*)(__VA_ARGS__))dlsym(RTLD_NEXT, name)
#define PATH_CALL(name) \
    int name(const char *path) { \
        NEXT(int, #name, const char *); \
        return fault(is_below(path)) == 1 ? -1 : next(path); \
    }
#define MODE_CALL(name) \
    int name(const char *path, mode_t mode) { \
        NEXT(int, #name, const char *, mode_t); \
        return fault(is_below(path)) == 1 ? -1 : next(path, mode); \
    }
#define PAIR_CALL(name) \
    int name(const char *from, const char *to) { \
        NEXT(int, #name, const char *, const char *); \
        return fault(is_below(from) || is_below(to)) == 1 ? -1 : next(from, to); \
    }
#define OWNER_CALL(name, type, is_concerned) \
    int name(type file, uid_t owner, gid_t group) { \
        NEXT(int, #name, type, uid_t, gid_t); \
        return fault(is_concerned(file)) == 1 ? -1 : next(file, owner, group); \
    }
#define FILE_CALL(name) \
    int name(int file) { \
        NEXT(int, #name, int); \
        return fault(is_open_below(file)) == 1 ? -1 : next(file); \
    }
#define SIZE_CALL(name) \
    int name(int file, off_t size) { \
        NEXT(int, #name, int, off_t); \
        return fault(is_open_below(file)) == 1 ? -1 : next(file, size); \
    }
#define PLACE_CALL(name) \
    ssize_t name(int file, const void *data, size_t size, off_t place) { \
        NEXT(ssize_t, #name, int, const void *, size_t, off_t); \
        int answer = fault(is_open_below(file)); \
        return answer == 1 ? -1 : next(file, data, answer == 2 && size > 1 ? size / 2 : size, place); \
    }
#define OPEN_CALL(name) \
    int name(const char *path, int flags, ...) { \
        NEXT(int, #name, const char *, int, ...); \
        va_list more; \
        va_start(more, flags); \
        mode_t mode = flags & O_CREAT ? va_arg(more, mode_t) : 0; \
        va_end(more); \
        return fault((flags & (O_CREAT | O_TRUNC)) && is_below(path)) == 1 ? -1 : next(path, flags, mode); \
    }

int unlinkat(int directory, const char *name, int flags) { /* shutil.rmtree */
    NEXT(int, "unlinkat", int, const char *, int);
    return fault(is_open_below(directory)) == 1 ? -1 : next(directory, name, flags);
}

int setxattr(const char *path, const char *name, const void *value, size_t size, int flags) {
    NEXT(int, "setxattr", const char *, const char *, const void *, size_t, int);
    return fault(is_below(path)) == 1 ? -1 : next(path, name, value, size, flags);
}

PATH_CALL(unlink)
PATH_CALL(rmdir)
MODE_CALL(mkdir)
MODE_CALL(chmod)
PAIR_CALL(rename)
PAIR_CALL(link)
PAIR_CALL(symlink)
OWNER_CALL(chown, const char *, is_below)
OWNER_CALL(fchown, int, is_open_below)
FILE_CALL(fsync)
FILE_CALL(fdatasync)
SIZE_CALL(ftruncate)
SIZE_CALL(ftruncate64)
PLACE_CALL(pwrite)
PLACE_CALL(pwrite64)
OPEN_CALL(open)
OPEN_CALL(open64)

ssize_t write(int file, const void *data, size_t size) {
    NEXT(ssize_t, "write", int, const void *, size_t);
    int answer = fault(is_open_below(file));
    return answer == 1 ? -1 : next(file, data, answer == 2 && size > 1 ? size / 2 : size);
}
