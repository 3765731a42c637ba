// Macros that come before: those of Qt, of X11, of C's complex.h, and others that old headers define. users-3, 7
#include <complex.h>

#include <algorithm>
#include <iostream>
#include <map>

#define slots
#define signals public
#define emit
#define foreach(a, b) for (a : b)
#define forever for (;;)
#define None 0L
#define Bool int
#define Status int
#define True 1
#define False 0
#define Success 0
#define Always 2
#define Above 0
#define Below 1
#define KeyPress 2
#define FocusIn 9
#define CursorShape 0
#define Unsorted 0
#define Complex 0
#define near
#define far
#define small char
#define interface struct
#define ERROR 0
#define IN
#define OUT
#define OPTIONAL
#define min(a, b) ((a) < (b) ? (a) : (b))
#define max(a, b) ((a) > (b) ? (a) : (b))

#include "headers/program.hpp"

// SPDX-License-Identifier: Apache-2.0
