//! What the headers of C's library declare, as far as programs define functions of such names themselves.

/// Headers that declare nothing but what is listed here. What others declare is not known.
const HEADERS: &[&str] = &[
    "assert.h",
    "complex.h",
    "ctype.h",
    "errno.h",
    "float.h",
    "inttypes.h",
    "iso646.h",
    "limits.h",
    "locale.h",
    "math.h",
    "setjmp.h",
    "signal.h",
    "stdalign.h",
    "stdarg.h",
    "stdatomic.h",
    "stdbool.h",
    "stddef.h",
    "stdint.h",
    "stdio.h",
    "stdlib.h",
    "string.h",
    "strings.h",
    "sys/types.h",
    "time.h",
    "unistd.h",
    "wchar.h",
    "wctype.h",
];

/// In order.
#[rustfmt::skip]
const NAMES: &[&str] = &[
    "_Exit", "_exit", "a64l", "abort", "abs", "access", "acos", "acosh", "alarm", "aligned_alloc",
    "alloca", "arc4random", "asctime", "asctime_r", "asin", "asinh", "asprintf", "assert",
    "at_quick_exit", "atan", "atan2", "atanh", "atexit", "atof", "atoi", "atol", "atoll",
    "basename", "bcmp", "bcopy", "brk", "bsd_signal", "bsearch", "btowc", "bzero", "cabs", "calloc",
    "carg", "cbrt", "ceil", "chdir", "chown", "chroot", "cimag", "clearenv", "clearerr", "clock",
    "close", "confstr", "conj", "copysign", "cos", "cosh", "creal", "crypt", "ctermid", "ctime",
    "ctime_r", "cuserid", "daemon", "difftime", "div", "dprintf", "drand48", "drem", "dup", "dup2",
    "dup3", "ecvt", "encrypt", "endusershell", "environ", "erand48", "erf", "erfc", "errno",
    "execl", "execle", "execlp", "execv", "execve", "execvp", "execvpe", "exit", "exp", "exp2",
    "explicit_bzero", "expm1", "fabs", "faccessat", "fchdir", "fchown", "fchownat", "fclose",
    "fcvt", "fdatasync", "fdim", "fdopen", "feof", "ferror", "fexecve", "fflush", "ffs", "fgetc",
    "fgetln", "fgetpos", "fgets", "fgetwc", "fgetws", "fileno", "finite", "flockfile", "floor",
    "fma", "fmax", "fmemopen", "fmin", "fmod", "fopen", "fopencookie", "fork", "fpathconf",
    "fprintf", "fpurge", "fputc", "fputs", "fputwc", "fputws", "fread", "free", "freopen", "frexp",
    "fscanf", "fseek", "fseeko", "fsetpos", "fsync", "ftell", "ftello", "ftruncate", "ftrylockfile",
    "funlockfile", "funopen", "fwide", "fwprintf", "fwrite", "fwscanf", "gamma", "gcvt",
    "get_current_dir_name", "getc", "getc_unlocked", "getchar", "getcwd", "getdate", "getdelim",
    "getdomainname", "getdtablesize", "getegid", "getentropy", "getenv", "geteuid", "getgid",
    "getgroups", "gethostid", "gethostname", "getline", "getloadavg", "getlogin", "getlogin_r",
    "getopt", "getpagesize", "getpass", "getpgid", "getpgrp", "getpid", "getppid", "getpt",
    "getresgid", "getresuid", "gets", "getsid", "getsubopt", "gettid", "getuid", "getusershell",
    "getw", "getwc", "getwchar", "getwd", "gmtime", "gmtime_r", "grantpt", "group_member",
    "gsignal", "hypot", "ilogb", "imaxabs", "imaxdiv", "index", "initgroups", "initstate",
    "isalnum", "isalpha", "isascii", "isatty", "isblank", "iscntrl", "isdigit", "isgraph", "isinf",
    "islower", "isnan", "isprint", "ispunct", "isspace", "isupper", "iswalnum", "iswalpha",
    "iswblank", "iswcntrl", "iswctype", "iswdigit", "iswgraph", "iswlower", "iswprint", "iswpunct",
    "iswspace", "iswupper", "iswxdigit", "isxdigit", "j0", "j1", "jn", "jrand48", "kill", "killpg",
    "l64a", "labs", "lchown", "lcong48", "ldexp", "ldiv", "lgamma", "link", "linkat", "llabs",
    "lldiv", "llrint", "llround", "localeconv", "localtime", "localtime_r", "lockf", "log", "log10",
    "log1p", "log2", "logb", "longjmp", "lrand48", "lrint", "lround", "lseek", "malloc", "mblen",
    "mbrlen", "mbrtowc", "mbsinit", "mbsrtowcs", "mbstowcs", "mbtowc", "memalign", "memccpy",
    "memchr", "memcmp", "memcpy", "memfrob", "memmem", "memmove", "mempcpy", "memrchr", "memset",
    "memset_explicit", "mkdtemp", "mkostemp", "mkstemp", "mkstemps", "mktemp", "mktime", "modf",
    "mrand48", "nan", "nanosleep", "nearbyint", "nextafter", "nexttoward", "nice", "nrand48",
    "on_exit", "open_memstream", "open_wmemstream", "pathconf", "pause", "pclose", "perror", "pipe",
    "pipe2", "popen", "posix_memalign", "posix_openpt", "pow", "pow10", "pread", "printf", "profil",
    "psiginfo", "psignal", "ptsname", "putc", "putchar", "putenv", "puts", "putw", "putwc",
    "putwchar", "pwrite", "qecvt", "qfcvt", "qgcvt", "qsort", "qsort_r", "quick_exit", "raise",
    "rand", "rand_r", "random", "rawmemchr", "read", "readlink", "readlinkat", "realloc",
    "reallocarray", "reallocf", "realpath", "remainder", "remove", "remquo", "rename", "renameat",
    "revoke", "rewind", "rindex", "rint", "rmdir", "round", "rpmatch", "sbrk", "scalb", "scalbln",
    "scalbn", "scanf", "secure_getenv", "seed48", "setbuf", "setbuffer", "setdomainname", "setegid",
    "setenv", "seteuid", "setgid", "setgroups", "sethostid", "sethostname", "setjmp", "setkey",
    "setlinebuf", "setlocale", "setlogin", "setpgid", "setpgrp", "setregid", "setresgid",
    "setresuid", "setreuid", "setsid", "setstate", "setuid", "setusershell", "setvbuf", "sigaction",
    "sigaddset", "sigaltstack", "sigandset", "sigblock", "sigdelset", "sigemptyset", "sigfillset",
    "sighold", "sigignore", "siginterrupt", "sigisemptyset", "sigismember", "siglongjmp", "signal",
    "signbit", "significand", "sigorset", "sigpause", "sigpending", "sigprocmask", "sigqueue",
    "sigrelse", "sigset", "sigsetjmp", "sigsetmask", "sigstack", "sigsuspend", "sigtimedwait",
    "sigvec", "sigwait", "sigwaitinfo", "sin", "sincos", "sinh", "sleep", "snprintf", "sprintf",
    "sqrt", "srand", "srand48", "srandom", "sscanf", "ssignal", "stpcpy", "stpncpy", "strcasecmp",
    "strcasestr", "strcat", "strchr", "strchrnul", "strcmp", "strcoll", "strcpy", "strcspn",
    "strdup", "strdupa", "strerror", "strerror_r", "strfmon", "strfromd", "strfry", "strftime",
    "strlcat", "strlcpy", "strlen", "strlwr", "strncasecmp", "strncat", "strncmp", "strncpy",
    "strndup", "strnlen", "strnstr", "strpbrk", "strptime", "strrchr", "strrev", "strsep",
    "strsignal", "strspn", "strstr", "strtod", "strtof", "strtoimax", "strtok", "strtok_r",
    "strtol", "strtold", "strtoll", "strtonum", "strtoq", "strtoul", "strtoull", "strtoumax",
    "strtouq", "strupr", "strverscmp", "strxfrm", "swab", "swprintf", "swscanf", "symlink",
    "symlinkat", "sync", "syncfs", "syscall", "sysconf", "system", "tan", "tanh", "tcgetpgrp",
    "tcsetpgrp", "tempnam", "tgamma", "time", "timegm", "timelocal", "timer_create", "timer_delete",
    "timer_gettime", "timer_settime", "timespec_get", "tmpfile", "tmpnam", "toascii", "tolower",
    "toupper", "towctrans", "towlower", "towupper", "trunc", "truncate", "ttyname", "ttyname_r",
    "ttyslot", "tzset", "ualarm", "ungetc", "ungetwc", "unlink", "unlinkat", "unlockpt", "unsetenv",
    "usleep", "valloc", "vasprintf", "vdprintf", "vfork", "vfprintf", "vfscanf", "vfwprintf",
    "vfwscanf", "vhangup", "vprintf", "vscanf", "vsnprintf", "vsprintf", "vsscanf", "vswprintf",
    "vswscanf", "vwprintf", "vwscanf", "wait", "wcpcpy", "wcpncpy", "wcrtomb", "wcscasecmp",
    "wcscat", "wcschr", "wcscmp", "wcscoll", "wcscpy", "wcscspn", "wcsdup", "wcsftime", "wcslen",
    "wcsncasecmp", "wcsncat", "wcsncmp", "wcsncpy", "wcsnlen", "wcsnrtombs", "wcspbrk", "wcsrchr",
    "wcsrtombs", "wcsspn", "wcsstr", "wcstod", "wcstof", "wcstoimax", "wcstok", "wcstol", "wcstold",
    "wcstoll", "wcstombs", "wcstoul", "wcstoull", "wcstoumax", "wcswidth", "wcsxfrm", "wctob",
    "wctomb", "wctrans", "wctype", "wcwidth", "wmemchr", "wmemcmp", "wmemcpy", "wmemmove",
    "wmemset", "wprintf", "write", "wscanf", "y0", "y1", "yn",
];

pub(super) fn is_header(path: &str) -> bool {
    HEADERS.binary_search(&path).is_ok()
}

/// Whether one of those headers may declare a name; the versions of a function for other widths end in a letter more.
pub(super) fn declares(name: &str) -> bool {
    let is_known = |name: &str| NAMES.binary_search(&name).is_ok();
    let shorter = name.strip_suffix(['f', 'l']);
    name.starts_with('_') || is_known(name) || shorter.is_some_and(is_known)
}

#[cfg(test)]
mod tests {
    use super::{HEADERS, NAMES};

    #[test]
    fn the_lists_are_in_order() {
        assert!(HEADERS.is_sorted());
        let wrong: Vec<_> = NAMES.windows(2).filter(|pair| pair[0] >= pair[1]).collect();
        assert!(wrong.is_empty(), "{wrong:?}");
    }
}
